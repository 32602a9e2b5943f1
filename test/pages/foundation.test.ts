import { gzipSync } from 'node:zlib'
import type { Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, visit } from './visit.ts'

let plumbline: TestPlumbline

beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(plumbline.url + path, { headers, redirect: 'manual' })

describe('the admin area', () => {
  test('every page URL of the admin area returns the same document', async () => {
    for (const path of ['/', '/bidding', '/bidding/brq_1?tab=bids', '/settings/keys']) {
      const response = await read(path)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ])
    }
    for (const path of ['/elsewhere', '/api/bidding', '/assets/none.js', '/biddings']) {
      const response = await read(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(response.headers.get('content-type')).toBe('application/problem+json')
    }
    for (const path of ['/docs', '/healthz', '/readyz'])
      expect([path, await (await read(path)).text()]).not.toEqual([path, expect.stringContaining('id="root"')])
  })

  test('the content security policy of the admin area allows only resources of the service', async () => {
    const policy = (await read('/')).headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
  })

  test('only the files of the admin area, not its document, are cached without revalidation', async () => {
    const document = await read('/')
    expect(document.headers.get('cache-control')).toBe('no-cache')
    const again = await read('/today', { 'if-none-match': document.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(await document.text()) ?? []
    const file = await read(script, { 'accept-encoding': 'br' })
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(file.headers.get('content-encoding')).toBe('br')
    expect((await read(script, { 'accept-encoding': 'identity' })).headers.get('content-encoding')).toBeNull()
  })

  test('if the public URL has a path, the admin area is below that path', async () => {
    const below = await startTestPlumbline({ PUBLIC_URL: 'https://builder.example.com/plumbline' })
    const text = await (await fetch(below.url)).text()
    await below.stop()
    expect(text).toContain('data-root="/plumbline"')
    expect(text).toContain('src="/plumbline/assets/')
  })
})

describe.skipIf(chromium === null)('in a browser', () => {
  let seen: ObservedPage
  beforeAll(async () => {
    seen = await visit(await openChromium(), plumbline)
  })
  afterAll(async () => {
    expectNoComplaints(seen)
    await closeWindows()
  })

  test('the first load of the admin area is smaller than 250 kB, compressed', async () => {
    const sizes: Promise<number>[] = []
    const weigh = (response: Response) => {
      if (response.url().includes('/assets/')) sizes.push(response.body().then((body) => gzipSync(body).length))
    }
    seen.page.on('response', weigh)
    await seen.page.goto(`${plumbline.url}/bidding`)
    await seen.page.getByText('No bid requests yet').waitFor()
    seen.page.off('response', weigh)
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(50_000)
    expect(total).toBeLessThan(250_000)
  })

  test('a user can open a record from the search with a few letters and Enter', async () => {
    const site = await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })
    const vendor = await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star Framing', scopes: ['framing'] })
    const request = await plumbline.post('/api/ext/bids/request', {
      ...{ vendorIds: [vendor.body.id], scope: 'framing', communityId: site.body.id },
      ...{ title: 'Framing, Lot 15', deadline: '2030-12-04' },
    })
    expect(request.status).toBe(201)
    await plumbline.until('/api/ext/search?q=lot%2015', ({ body }) => body.data.length > 0)
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding`)
    await page.getByRole('link', { name: 'Framing, Lot 15' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('lot 15')
    await page.getByRole('option', { name: /Framing, Lot 15/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/bidding/${request.body.id}`)
  })

  test('a list exports only the records that match its search', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding?q=nothing+like+it`)
    await page.getByText('No matching requests').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('link', { name: 'Framing, Lot 15' }).waitFor()
    expect(page.url()).toBe(`${plumbline.url}/bidding`)
    await page.getByRole('searchbox', { name: 'Search requests' }).fill('Lot 15')
    await page.waitForURL('**/bidding?q=Lot+15')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('requests.csv')
    const chunks: Buffer[] = []
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString()).toContain('BR-0001')
  })

  test('every page can show its API calls', async () => {
    const { page } = seen
    await page.goto(`${plumbline.url}/bidding`)
    await page.getByRole('button', { name: 'View as API call' }).click()
    const dialog = page.locator('.dialog')
    await dialog.getByText('/api/ext/bids/requests?limit=50&sort=-createdAt').first().waitFor()
    const [call] = await dialog.getByRole('region', { name: /^curl for/ }).allTextContents()
    expect(call).toContain('$PLUMBLINE_KEY')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
})
