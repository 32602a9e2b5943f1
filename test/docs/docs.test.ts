import { afterAll, beforeAll, describe } from 'vitest'
import { findFreePort } from '../../scripts/processes/service.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { testDocsInBrowser } from './browser.ts'
import { testGuides } from './guides.ts'
import { testPages } from './pages.ts'

/**
 * Tests the documentation at /docs: its content, the commands that readers paste, and its appearance, all on one
 * service.
 */
let plumbline: TestPlumbline

beforeAll(async () => {
  // Readers of a guide should not wait for the retry schedule of a production service.
  const schedule = { WEBHOOK_RETRY_SCHEDULE: '0,1,1,1,1' }
  plumbline = await startTestPlumbline({ PORT: String(await findFreePort()), ...schedule })
}, 120_000)
afterAll(() => plumbline?.stop())

describe('pages', () => testPages(() => plumbline))
describe('guides', () => testGuides(() => plumbline))
describe('browser', () => testDocsInBrowser(() => plumbline))
