import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { expect, inject } from 'vitest'
import { openPage, type Seen } from '../../scripts/processes/chromium.ts'
import { WIDTHS } from '../../scripts/screenshots/screens.ts'
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

/** What a page looks like and how it is served does not depend on the database: one of the suite's two runs is enough. */
export const looksHere = inject('postgres') === null

/** What a page shows now holds no finding of axe, light and dark, on a desk and on a phone, where it is no wider than that. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!looksHere) return
  const before = page.viewportSize()
  const found: Record<string, string[]> = {}
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 850 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // The scheme changes colors alone.
      const findings = await violations(page, colorScheme === 'dark' ? ['color-contrast'] : [])
      if (findings.length > 0) found[`${width} ${colorScheme}`] = findings
    }
    expect({ width, overflow: await overflow(page) }).toEqual({ width, overflow: 0 })
  }
  expect(found).toEqual({})
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before !== null) await page.setViewportSize(before)
}

/**
 * Goes to another page as its links do, without loading the scripts once more. The door comes between, so that nothing of
 * the page before is still there: no dialog, no message, no frame.
 */
export async function goOn(page: Page, address: string): Promise<void> {
  await page.mouse.move(0, 0)
  await leadTo(page, '/sign-in')
  await page.locator('.door').waitFor()
  await leadTo(page, address)
}

function leadTo(page: Page, address: string): Promise<void> {
  return page.evaluate((address) => {
    const { history, dispatchEvent } = globalThis as unknown as {
      history: { pushState(state: null, unused: string, address: string): void }
      dispatchEvent(event: Event): void
    }
    history.pushState(null, '', address)
    dispatchEvent(new Event('popstate'))
  }, address)
}
