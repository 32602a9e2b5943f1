import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import { type ObservedPage, openPage } from '../../scripts/processes/chromium.ts'
import { GUIDES } from '../../server/interfaces/docs/guides.ts'
import { findViolations, keepFewOfEach, measureOverflow } from '../pages/visit.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/** Tests the documentation as a reader sees it, in a browser that can reach only this service. */
const PAGES = [
  '',
  '/reference/scopes',
  '/skills',
  '/problems',
  '/problems/validation_failed',
  '/events',
  '/guides',
  '/roles',
  '/changelog',
]
const [DESK, PHONE] = [1440, 390]

/** Queries that users would type, each with the page that must be among the first three results. */
const EVERYDAY_WORDS: Record<string, string> = {
  pagination: '/guides/paging',
  authentication: '/guides/first-call#authenticate',
  login: '/guides/first-call#authenticate',
  'expired token': '/guides/browser#refresh-expired-tokens',
  CORS: '/guides/browser#allow-the-page-s-origin-cors',
  React: '/guides/browser#use-react-hooks',
  SDK: '/guides/first-call#use-the-typescript-client',
  install: '/guides/first-call#use-the-typescript-client',
  realtime: '/guides/browser#receive-changes',
  websocket: '/guides/browser#receive-changes',
  money: '#money',
  cents: '#money',
  decimals: '#money',
  'time zone': '#money',
  enum: '/guides/browser#use-react-hooks',
  BidStatus: '/reference/bids#Bid.status',
  VendorCreate: '/reference/vendors#createVendor',
  'optimistic locking': '/guides/idempotency#prevent-lost-updates',
  '403': '/problems/permission_denied',
  '422': '/problems/validation_failed',
  image: '/guides/browser#show-and-upload-files',
  logo: '/guides/browser#show-and-upload-files',
  'dark mode': '#these-pages',
  idempotency: '/guides/idempotency',
}

const QUESTIONS: Record<string, string> = {
  'verify webhook': '/guides/webhooks#verify-a-webhook-signature',
  authenticate: '/guides/first-call#authenticate',
  'api key rotation': '/guides/first-call#rotate-a-key-without-downtime',
  'what is a scope': '/glossary#term-trade',
  'test mode': '/guides/mock',
}

let plumbline: TestPlumbline
let chrome: Browser

export function testDocsInBrowser(service: () => TestPlumbline): void {
  describe.skipIf(chromium === null)('in a browser', () => {
    beforeAll(async () => {
      plumbline = service()
      chrome = await openChromium()
    }, 120_000)
    afterAll(async () => {
      await closeWindows()
    })

    // The test injects axe with the debugger, so the Content-Security-Policy of the pages does not block it.
    const open = (width: number) => openPage(chrome, plumbline.url, width, { reducedMotion: 'reduce' })

    async function readIn(
      seen: ObservedPage,
      address: string,
      look: (seen: ObservedPage) => Promise<void>,
    ): Promise<void> {
      await seen.page.goto(`${plumbline.url}/docs${address}`)
      await look(seen)
      expect([address, seen.strayed]).toEqual([address, []])
      expect([address, seen.complaints]).toEqual([address, []])
    }

    /** Opens a page like a visitor who has never opened it before. */
    async function read(address: string, width: number, look: (seen: ObservedPage) => Promise<void>): Promise<void> {
      const seen = await open(width)
      try {
        await readIn(seen, address, look)
      } finally {
        await seen.close()
      }
    }

    describe('one page after the other', () => {
      // Reuses one window, because a browser starts a process for each new window, which takes longer than loading most
      // pages.
      let desk: ObservedPage
      let phone: ObservedPage
      beforeAll(async () => {
        ;[desk, phone] = await Promise.all([open(DESK), open(PHONE)])
      })
      afterAll(() => Promise.all([desk.close(), phone.close()]))

      test('every docs page fits on a phone and loads resources only from the service', async () => {
        for (const address of [...PAGES, ...GUIDES.map((name) => `/guides/${name}`)]) {
          await readIn(phone, address, async ({ page }) =>
            expect([address, await measureOverflow(page)]).toEqual([address, 0]),
          )
        }
      }, 120_000)

      // Axe is slow, and all guides have the same layout, as do all tag pages. One page of each kind is enough.
      test.each([...PAGES, '/guides/agents'])(
        'axe finds no accessibility problem on /docs%s in the light and dark color schemes',
        async (address) => {
          await desk.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
          await readIn(desk, address, async ({ page }) => {
            await keepFewOfEach(page)
            for (const colorScheme of ['light', 'dark'] as const) {
              await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
              // In dark mode, only the colors differ, so only the contrast is checked.
              const found = await findViolations(page, colorScheme === 'dark' ? ['color-contrast'] : [])
              expect({ address, colorScheme, found }).toEqual({ address, colorScheme, found: [] })
            }
          })
          if (address.startsWith('/reference') || address.startsWith('/guides/'))
            await readIn(phone, address, async ({ page }) => {
              await keepFewOfEach(page)
              expect(await findViolations(page)).toEqual([])
            })
        },
      )
    })

    test('the docs overview lists every operation', async () => {
      const operations = [...contract.operations.values()]
      let bytes = 0
      await read('', DESK, async ({ page }) => {
        expect(await page.locator('.overview li:visible').count()).toBe(operations.length)
        // The published document does not contain operations for users of the pages.
        const tags = new Set(operations.flatMap(({ declaration }) => declaration.tags ?? []))
        const groups = contract.document['x-tagGroups']
          ?.filter((group) => group.tags.some((tag) => tags.has(tag)))
          .map(({ name }) => name)
        expect(await page.locator('.overview h3').allTextContents()).toEqual(groups)
        bytes = await page.evaluate(
          `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce((sum, { transferSize }) => sum + transferSize, 0)`,
        )
      })
      // Users open this page on a phone at a building site. Rendering it in the browser would require 750 kB.
      expect(bytes).toBeLessThan(100_000)
    })

    test('the docs search finds operations, fields, guides, events, and problems', async () => {
      await read('/guides', DESK, async ({ page }) => {
        const search = async (words: string) => {
          await page.keyboard.press('Control+k')
          await page.getByRole('combobox').fill(words)
          await page
            .locator('#told')
            .filter({ hasText: /result/ })
            .waitFor()
          return (await page.locator('#found a').allTextContents())[0] ?? ''
        }
        for (const [words, first] of [
          ['accept a bid', /^OperationAccept a bid/],
          ['taxIdLast4', /^FieldtaxIdLast4of /],
          ['idempotency key reused', /^Problemidempotency_key_reused/],
          ['bid.submitted', /^Eventbid\.submitted/],
          ['rotate a key without downtime', /^GuideRotate a key without downtime/],
        ] as const) {
          await page.keyboard.press('Escape')
          await expect.poll(() => search(words), { timeout: 10_000 }).toMatch(first)
        }
        await page.keyboard.press('Escape')
        await search('xylophone')
        await page.locator('#told').filter({ hasText: 'No results for “xylophone”.' }).waitFor()
        expect(await findViolations(page)).toEqual([])
        // Users can search with the keyboard alone.
        await page.getByRole('combobox').fill('accept a bid')
        await page.locator('#found a').filter({ hasText: 'acceptBid' }).first().waitFor()
        await page.keyboard.press('Enter')
        await page.waitForURL(/reference\/bids#acceptBid$/)
      })
    })

    test('the docs search finds pages by common synonyms', async () => {
      await read('/guides', DESK, async ({ page }) => {
        await page.keyboard.press('Control+k')
        const found: Record<string, string[]> = {}
        for (const words of Object.keys(EVERYDAY_WORDS)) {
          await page.getByRole('combobox').fill(words)
          // The page sets this attribute together with the results.
          await expect.poll(() => page.locator('#found').getAttribute('data-for'), { timeout: 10_000 }).toBe(words)
          const links = await page
            .locator('#found a')
            .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
          found[words] = links.slice(0, 3).map((href) => String(href).replace('/docs', ''))
        }
        for (const [words, address] of Object.entries(EVERYDAY_WORDS))
          expect({ words, found: found[words] }).toEqual({ words, found: expect.arrayContaining([address]) })
      })
    })

    test('the docs search ranks the correct section first for questions of integrators', async () => {
      await read('/guides', DESK, async ({ page }) => {
        await page.keyboard.press('Control+k')
        for (const [words, address] of Object.entries(QUESTIONS)) {
          await page.getByRole('combobox').fill(words)
          await expect.poll(() => page.locator('#found').getAttribute('data-for'), { timeout: 10_000 }).toBe(words)
          const first = await page.locator('#found a').first().getAttribute('href')
          expect([words, first]).toEqual([words, `/docs${address}`])
        }
      })
    })

    test('the docs page of an operation remembers the selected language of the samples', async () => {
      for (const width of [DESK, PHONE]) {
        await read('/operations/acceptBid', width, async ({ page }) => {
          const operation = page.locator('#acceptBid')
          const code = operation.locator('.samples .lines:visible code')
          for (const [language, sign] of [
            ['curl', 'curl '],
            ['TypeScript', "plumbline.POST('/api/ext/bids/{bidId}/accept'"],
            ['Python', 'urllib.request.Request('],
          ] as const) {
            await operation.getByRole('button', { name: language }).click()
            expect(await code.textContent()).toContain(sign)
          }
          await page.reload()
          expect(await code.textContent()).toContain('urllib.request.Request(')
          expect(await operation.locator('.field a:visible').allTextContents()).toEqual(
            expect.arrayContaining(['bidId', 'createPurchaseOrder', 'Idempotency-Key']),
          )
          expect(await operation.getByRole('link', { name: 'invalid_transition' }).getAttribute('href')).toBe(
            '/docs/problems/invalid_transition',
          )
          // A link to a field scrolls until the field is visible.
          await page.goto(`${plumbline.url}/docs/reference/bids#acceptBid.body.createPurchaseOrder`)
          const place = await page.locator('[id="acceptBid.body.createPurchaseOrder"]').boundingBox()
          const head = await page.locator('header').boundingBox()
          expect(place?.y).toBeGreaterThanOrEqual((head?.y ?? 0) + (head?.height ?? 0))
        })
      }
    })

    test('on a phone, the table of contents is a menu that closes after a selection', async () => {
      await read('/reference/vendors', PHONE, async ({ page }) => {
        const contents = page.getByRole('navigation', { name: 'Contents' })
        expect(await contents.isVisible()).toBe(false)
        await page.getByRole('button', { name: 'Contents' }).click()
        await contents.getByRole('link', { name: 'Invite a vendor' }).click()
        await contents.waitFor({ state: 'hidden' })
        expect(new URL(page.url()).hash).toBe('#inviteVendor')
      })
    })

    test('on a phone, docs text is readable and long paths wrap', async () => {
      await read('/reference/bid-requests', PHONE, async ({ page }) => {
        const min = await page.evaluate(
          `Math.min(...[...document.querySelectorAll('main :is(p, code, span, a, dd, b, button)')].map((each) => parseFloat(getComputedStyle(each).fontSize)))`,
        )
        expect(min).toBeGreaterThanOrEqual(12)
        const path = page.locator('#getBidRequest .call code')
        expect(await path.evaluate((code) => [code.textContent, code.querySelectorAll('wbr').length])).toEqual([
          ...['/api/ext/bids/requests/{bidRequestId}', 6],
        ])
        const tabs = page.getByRole('navigation', { name: 'Documentation' })
        expect(await page.evaluate(`getComputedStyle(document.querySelector('header nav')).maskImage`)).toContain(
          'gradient',
        )
        // After the reader has scrolled to the last tab, it is outside the faded edge.
        await tabs.evaluate((nav) => nav.scrollTo({ left: nav.scrollWidth }))
        const last = await tabs.getByRole('link', { name: 'Changelog' }).boundingBox()
        expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(PHONE - 40)
      })
      await read('/guides/browser', DESK, async ({ page }) => {
        const width = (selector: string) =>
          page
            .locator(selector)
            .first()
            .evaluate((each) => each.clientWidth)
        expect(Math.abs((await width('main > pre')) - (await width('main > p:not(.crumbs)')))).toBeLessThanOrEqual(2)
      })
    })

    test('a reader can try a request with the key of the demo builder', async () => {
      const file = path.join(plumbline.config.dataDir, 'demo.json')
      writeFileSync(file, JSON.stringify({ key: plumbline.key }))
      const vendor = await plumbline.post('/api/ext/vendors', { companyName: 'Guadalupe Drywall' })
      try {
        await read('/operations/getComplianceDocument', DESK, async ({ page, complaints }) => {
          // Before the form is opened, the samples already contain existing IDs and can be run without changes.
          await page.locator('#getVendor').scrollIntoViewIfNeeded()
          for (const language of ['.curl', '.typescript', '.python'])
            await page
              .locator(`#getVendor .samples ${language}`)
              .filter({ hasText: vendor.body.id })
              .waitFor({ state: 'attached' })
          const open = async (id: string) => {
            await page.locator(`#${id}`).getByRole('button', { name: 'Try it' }).click()
            const form = page.locator(`#${id} form`)
            await expect.poll(() => form.getByLabel('API key').inputValue()).toBe(plumbline.key)
            return form
          }
          const reading = await open('getVendor')
          const id = reading.getByLabel('vendorId')
          await expect.poll(() => id.inputValue()).toBe(vendor.body.id)
          await reading.getByRole('button', { name: 'Send GET' }).click()
          await reading.locator('.answer').filter({ hasText: 'Guadalupe Drywall' }).waitFor()
          const changing = await open('updateVendor')
          await expect.poll(() => changing.getByLabel('vendorId').inputValue()).toBe(vendor.body.id)
          await changing.getByLabel('Body').fill('{ "companyName": "Another" }')
          await changing.getByRole('button', { name: 'Send PATCH' }).click()
          await changing.locator('.answer').filter({ hasText: '"dryRun": true' }).waitFor()
          expect(await changing.locator('.answer').textContent()).toContain('"companyName": "Another"')
          const { body: after } = await plumbline.get(`/api/ext/vendors/${vendor.body.id}`)
          expect(after.companyName).toBe('Guadalupe Drywall')
          await keepFewOfEach(page)
          expect(await findViolations(page)).toEqual([])
          expect(complaints).toEqual([])
        })
      } finally {
        rmSync(file)
      }
    })

    test('the docs page verifies a valid webhook signature and rejects a signature with one wrong letter', async () => {
      await read('/events', PHONE, async ({ page }) => {
        const verdict = page.locator('#verdict')
        await page.getByRole('button', { name: 'Verify' }).click()
        await verdict.filter({ hasText: 'The signature is valid. This is a delivery of bid.submitted' }).waitFor()
        const body = page.getByLabel('Body, exactly as received')
        await body.fill((await body.inputValue()).replace('39850', '39851'))
        await page.getByRole('button', { name: 'Verify' }).click()
        await verdict.filter({ hasText: 'No signature matches the request body and the secret.' }).waitFor()
      })
    })
  })
}
