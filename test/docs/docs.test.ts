import { afterAll, beforeAll, describe } from 'vitest'
import { freePort } from '../../scripts/processes/service.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/plumbline.ts'
import { browser } from './browser.ts'
import { guides } from './guides.ts'
import { pages } from './pages.ts'

/** The documentation at /docs: what it says, what it tells people to paste, and how it looks, all on one service. */
let plumbline: TestPlumbline

beforeAll(async () => {
  // Readers of a guide do not wait for the retry schedule of a production service.
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1' }
  plumbline = await startTestPlumbline({ PORT: String(await freePort()), ...schedule })
}, 120_000)
afterAll(() => plumbline?.stop())

describe('pages', () => pages(() => plumbline))
describe('guides', () => guides(() => plumbline))
describe('browser', () => browser(() => plumbline))
