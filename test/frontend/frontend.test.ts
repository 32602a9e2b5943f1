import { execFileSync } from 'node:child_process'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startMock } from '../support/start-mock.ts'
import { startTestPlumbline } from '../support/test-plumbline.ts'
import { startFrontend } from './frontend-server.ts'

/**
 * Tests that a page developed with the mock also works with the service after a change of only the base URL and the
 * key. The key stays on the page's server, which gives the page a token.
 */
test('the example frontend compiles', () => {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
  expect(
    execFileSync(process.execPath, [tsc, '-p', path.join(import.meta.dirname, 'page')], { encoding: 'utf8' }),
  ).toBe('')
})

interface Backend {
  baseUrl: string
  key: string
  /** Adds a vendor as another user. Absent if the backend does not store data. */
  add?(companyName: string): Promise<unknown>
  stop(): Promise<void>
}

const backends: [name: string, start: () => Promise<Backend>][] = [
  [
    'the mock',
    async () => {
      const mock = await startMock()
      return { baseUrl: mock.url, key: 'plb_mock', stop: mock.stop }
    },
  ],
  [
    'the service',
    async () => {
      const plumbline = await startTestPlumbline({ CORS_ORIGINS: '*' })
      const add = (companyName: string) => plumbline.post('/api/ext/vendors', { companyName })
      for (const companyName of ['Lone Star Framing LLC', 'Summit Electric Co.']) await add(companyName)
      return { baseUrl: plumbline.url, key: plumbline.key, add, stop: plumbline.stop }
    },
  ],
]

let browser: Browser
beforeAll(async () => {
  if (chromium !== null) browser = await openChromium()
}, 120_000)
afterAll(closeWindows)

describe.skipIf(chromium === null).each(backends)('against %s', (_name, start) => {
  let backend: Backend
  let page: Page
  let close: () => Promise<void>
  const complaints: string[] = []
  const credentials = new Set<string>()

  beforeAll(async () => {
    backend = await start()
    const frontend = await startFrontend(backend)
    close = frontend.close
    page = await browser.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => credentials.add(request.headers().authorization ?? ''))
    await page.goto(frontend.url)
  }, 120_000)

  afterAll(async () => {
    await page.close()
    await close()
    await backend.stop()
  })

  test('the example frontend lists vendors', async () => {
    const vendors = page.getByRole('list', { name: 'Vendors: any' }).getByRole('listitem')
    await vendors.first().waitFor()
    expect(await vendors.count()).toBeGreaterThan(1)
    expect(await vendors.first().textContent()).toContain('Lone Star Framing LLC')
  })

  test('the example frontend filters vendors by status', async () => {
    await page.getByLabel('Status').selectOption('active')
    await page.getByRole('list', { name: 'Vendors: active' }).waitFor({ state: 'attached' })
    await page.getByLabel('Status').selectOption('')
  })

  test('the example frontend shows a vendor that another user adds without a reload', async ({ skip }) => {
    if (backend.add === undefined) return skip()
    await backend.add('Brazos Glass')
    await page.getByRole('listitem').filter({ hasText: 'Brazos Glass' }).waitFor()
  })

  test('the example frontend shows the errors of an invalid new vendor', async () => {
    await page.getByRole('button', { name: 'Add' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.textContent()).toContain('The input is not valid. /companyName must')
  })

  test('the example frontend uses a browser token and never gets the key', async () => {
    expect([...credentials].filter((each) => each !== '')).toEqual([expect.stringMatching(/^Bearer plb_browser\./)])
    expect(await page.content()).not.toContain(backend.key)
  })

  test('the example frontend adds a vendor', async () => {
    await page.getByLabel('Company').fill('Lone Star Framing LLC')
    await page.getByRole('button', { name: 'Add' }).click()
    const status = page.getByRole('status')
    await status.waitFor()
    expect(await status.textContent()).toBe('Added Lone Star Framing LLC')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
