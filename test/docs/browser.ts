import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { contract } from '../../scripts/conformance/contract.ts'
import { findChromium, launchChromium, openPage, type Seen } from '../../scripts/processes/chromium.ts'
import { GUIDES } from '../../server/docs/guides.ts'
import type { TestPlumbline } from '../support/plumbline.ts'

/** The documentation as a reader sees it: in a browser that reaches this service and nothing else. */
const chromium = findChromium()
const PAGES = [
  '',
  '/problems',
  '/problems/validation_failed',
  '/events',
  '/guides',
  '/roles',
  '/changelog',
  ...GUIDES.map((name) => `/guides/${name}`),
]
const [DESK, PHONE] = [1280, 390]

let plumbline: TestPlumbline
let chrome: Browser

export function browser(service: () => TestPlumbline): void {
  // What a page shows does not depend on the database, so one of the suite's two runs is enough.
  describe.skipIf(chromium === null || inject('postgres') !== null)('in a browser', () => {
    beforeAll(async () => {
      plumbline = service()
      chrome = await launchChromium(chromium ?? '')
    }, 120_000)
    afterAll(async () => {
      await chrome.close()
    })

    async function read(path: string, width: number, look: (seen: Seen) => Promise<void>): Promise<void> {
      const seen = await openPage(chrome, plumbline.url, width)
      try {
        await seen.page.goto(`${plumbline.url}/docs${path}`, { waitUntil: 'networkidle' })
        await look(seen)
        expect(seen.strayed).toEqual([])
        expect(seen.complaints).toEqual([])
      } finally {
        await seen.close()
      }
    }

    test.each(PAGES)('/docs%s loads nothing from elsewhere, breaks no policy, and fits a phone', async (path) => {
      for (const width of [DESK, PHONE]) {
        await read(path, width, async ({ page }) => {
          await page.locator('h1, .swagger-ui .title').first().waitFor()
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        })
      }
    })

    test('the reference shows every operation, and its table of contents finds one', async () => {
      const operations = [...contract.operations.values()]
      await read('', DESK, async ({ page }) => {
        const tags = new Set(operations.flatMap(({ declaration }) => declaration.tags ?? []))
        await expect.poll(() => page.locator('.opblock-tag').count(), { timeout: 30_000 }).toBe(tags.size)
        expect(await page.locator('.contents li:visible').count()).toBe(operations.length)
        // What only people do at pages is not in the published document.
        const groups = contract.document['x-tagGroups']
          ?.filter((group) => group.tags.some((tag) => tags.has(tag)))
          .map(({ name }) => name)
        expect(await page.locator('.contents h2:visible').allTextContents()).toEqual(groups)
        await page.getByLabel('Find an operation').fill('accept bid')
        expect(await page.locator('.contents h2:visible').allTextContents()).toEqual(['Bidding'])
        expect(await page.locator('.contents li:visible').allTextContents()).toEqual([
          expect.stringContaining('Accept a bid'),
        ])
        await page.getByRole('link', { name: 'Accept a bid' }).click()
        await page.locator('.opblock.is-open .samples').waitFor()
        expect(await page.locator('.opblock.is-open .opblock-summary-path').textContent()).toContain('accept')
      })
    })

    test('an operation shows code in two languages, its parameters, and links to its problems', async () => {
      for (const width of [DESK, PHONE]) {
        await read('/operations/acceptBid', width, async ({ page }) => {
          const operation = page.locator('.opblock.is-open')
          await operation.locator('.samples').waitFor()
          expect(await operation.locator('.samples code').textContent()).toContain('curl ')
          await operation.getByRole('button', { name: 'TypeScript' }).click()
          expect(await operation.locator('.samples code').textContent()).toContain(
            "plumbline.POST('/api/ext/bids/{bidId}/accept'",
          )
          expect(await operation.locator('.parameter__name').allTextContents()).toEqual(
            expect.arrayContaining([expect.stringContaining('bidId'), expect.stringContaining('Idempotency-Key')]),
          )
          expect(await operation.getByRole('link', { name: 'invalid_transition' }).getAttribute('href')).toBe(
            '/docs/problems/invalid_transition',
          )
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        })
      }
    })

    test('with a key, an operation can be tried out', async () => {
      await read('/operations/getCaller', DESK, async ({ page }) => {
        await page.getByRole('button', { name: 'Authorize' }).first().click()
        await page.locator('.auth-container input').first().fill(plumbline.key)
        await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Apply' }).first().click()
        await page.getByRole('button', { name: 'Close' }).first().click()
        const operation = page.locator('.opblock.is-open')
        await operation.getByRole('button', { name: 'Try it out' }).click()
        await operation.getByRole('button', { name: 'Execute' }).click()
        const answer = operation.locator('.live-responses-table')
        await answer.waitFor()
        expect(await answer.textContent()).toContain('Harrow & Finch Homes')
      })
    })

    test('a signature can be checked, and one with a single wrong letter fails', async () => {
      await read('/events', PHONE, async ({ page }) => {
        const verdict = page.locator('#verdict')
        await page.getByRole('button', { name: 'Verify' }).click()
        await verdict.filter({ hasText: 'The signature holds. This is bid.submitted' }).waitFor()
        const body = page.getByLabel('The body, byte by byte')
        await body.fill((await body.inputValue()).replace('39850', '39851'))
        await page.getByRole('button', { name: 'Verify' }).click()
        await verdict.filter({ hasText: 'No signature matches the request.' }).waitFor()
      })
    })
  })
}
