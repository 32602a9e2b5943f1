import { afterAll, beforeAll, describe } from 'vitest'
import { findFreePort } from '../../scripts/processes/service.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { testDocsInBrowser } from './browser.ts'
import { testGuides } from './guides.ts'
import { testPages } from './pages.ts'

/**
 * Tests the documentation at /docs on one service: its content, the commands that readers paste, and its appearance.
 */
let plumbline: TestPlumbline

beforeAll(async () => {
  // The retries are faster than in production, so that the commands in a guide do not wait for them.
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1' }
  plumbline = await startTestPlumbline({ PORT: String(await findFreePort()), ...schedule })
}, 120_000)
afterAll(() => plumbline?.stop())

describe('pages', () => testPages(() => plumbline))
describe('guides', () => testGuides(() => plumbline))
describe('browser', () => testDocsInBrowser(() => plumbline))
