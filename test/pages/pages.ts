import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { openPage, type Seen, settled } from '../../scripts/processes/chromium.ts'
import type { TestPlumbline } from '../support/plumbline.ts'

/** A window in which somebody is signed in, by a session of their own; the owner, unless another address is named. */
export async function visit(
  browser: Browser,
  plumbline: TestPlumbline,
  options: { email?: string; organizationId?: string; width?: number; scheme?: 'light' | 'dark' } = {},
): Promise<Seen> {
  const { email, organizationId, width = 1440, scheme = 'light' } = options
  const seen = await openPage(browser, plumbline.url, width, { colorScheme: scheme, reducedMotion: 'reduce' })
  const session = await plumbline.signIn(email)
  if (organizationId !== undefined) await plumbline.post('/api/admin/session/organization', { organizationId }, session)
  const [name = '', value = ''] = session.headers?.cookie?.split(/=(.*)/s) ?? []
  await seen.page.context().addCookies([{ name, value, url: plumbline.url }])
  return seen
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page, by all its rules or by some: the rule, and where. */
export async function violations(page: Page, runOnly: string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(async (runOnly) => {
    const { axe: run } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[] }>
      }
    }
    // What passes is not described, and no style sheet is fetched once more.
    const found = await run.run({ resultTypes: ['violations'], preload: false, ...(runOnly.length > 0 && { runOnly }) })
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    )
  }, runOnly)
}

/** Nothing came from elsewhere, no script failed, and the Content-Security-Policy was kept. */
export function expectNoComplaints({ strayed, complaints }: Seen): void {
  expect({ strayed, complaints }).toEqual({ strayed: [], complaints: [] })
}

/** Whether the page is wider than its window, which on a phone means that it scrolls sideways. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number; clientWidth: number } }
    }
    return document.documentElement.scrollWidth - document.documentElement.clientWidth
  })
}

// What a page looks like does not depend on the database: one of the suite's two runs is enough.
const looksHere = inject('postgres') === null

/** A test of what pages look like, and of nothing else. */
export const testLooks = test.skipIf(!looksHere)

/** Each address without a finding of axe in light and dark, on a desk and on a phone, where none scrolls sideways. */
export async function expectAccessible(
  browser: Browser,
  plumbline: TestPlumbline,
  addresses: readonly string[],
): Promise<void> {
  if (!looksHere) return
  for (const width of [1440, 390]) {
    const seen = await visit(browser, plumbline, { width })
    for (const address of addresses) {
      await seen.page.goto(plumbline.url + address)
      await settled(seen.page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await seen.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        // The scheme changes colors alone.
        const found = await violations(seen.page, colorScheme === 'dark' ? ['color-contrast'] : [])
        expect({ address, width, colorScheme, found }).toEqual({ address, width, colorScheme, found: [] })
      }
      expect({ address, width, overflow: await overflow(seen.page) }).toEqual({ address, width, overflow: 0 })
    }
    expectNoComplaints(seen)
    await seen.close()
  }
}
