import { afterAll, beforeAll, describe } from 'vitest'
import { freePort } from '../../scripts/processes/service.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/plumbline.ts'
import { browser } from './browser.ts'
import { guides } from './guides.ts'
import { pages } from './pages.ts'

/**
 * The documentation at /docs: its content, the commands it tells readers to paste, and its appearance, all on one
 * service.
 */
let plumbline: TestPlumbline

beforeAll(async () => {
  // Readers of a guide should not wait for the retry schedule of a production service.
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1' }
  plumbline = await startTestPlumbline({ PORT: String(await freePort()), ...schedule })
}, 120_000)
afterAll(() => plumbline?.stop())

describe('pages', () => pages(() => plumbline))
describe('guides', () => guides(() => plumbline))
describe('browser', () => browser(() => plumbline))
