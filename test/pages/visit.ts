import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ObservedPage, openPage } from '../../scripts/processes/chromium.ts'
import { WIDTHS } from '../../scripts/screenshots/screens.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/** Opens a window in which a user is signed in with a separate session. By default, the user is the owner. */
export async function visit(
  browser: Browser,
  plumbline: TestPlumbline,
  options: { email?: string; organizationId?: string; width?: number; scheme?: 'light' | 'dark' } = {},
): Promise<ObservedPage> {
  const { email, organizationId, width = 1440, scheme = 'light' } = options
  const seen = await openPage(browser, plumbline.url, width, { colorScheme: scheme, reducedMotion: 'reduce' })
  const session = await plumbline.signIn(email)
  if (organizationId !== undefined) await plumbline.post('/api/admin/session/organization', { organizationId }, session)
  const [name = '', value = ''] = session.headers?.cookie?.split(/=(.*)/s) ?? []
  await seen.page.context().addCookies([{ name, value, url: plumbline.url }])
  return seen
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Returns the violations that axe finds on a page, each with its rule and element. Uses all rules unless some are
 * given. Skips elements that have already been checked.
 */
export async function findViolations(page: Page, runOnly: string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  return page.evaluate(async (runOnly) => {
    const { axe: run } = globalThis as unknown as {
      axe: {
        run(
          context: { exclude: string[] },
          options: object,
        ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary?: string }[] }[] }>
      }
    }
    // Saves time by not describing elements without violations and not fetching style sheets again.
    const options = { resultTypes: ['violations'], preload: false, ...(runOnly.length > 0 && { runOnly }) }
    const found = await run.run({ exclude: ['[data-judged]'] }, options)
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    )
  }, runOnly)
}

/**
 * Finds repeated elements, so that axe checks each kind of element instead of all 13,000 elements. If siblings differ
 * only in text, names, and URLs, three are kept, which is enough for styles of first and alternating elements. A term
 * is kept together with its description, and a cell with its row.
 */
const KEEP_FEW_SCRIPT = `(seen, at, mayGo) => {
  const FEW = 3
  const WHOLE = new Set(['dl', 'tr'])
  const OF_ITS_OWN = /^(id|name|href|for|value|title|datetime|aria-(label|labelledby|describedby|controls)|data-.*)$/
  const likenesses = new Map()
  const ofAttributes = ({ localName, attributes }) =>
    localName + [...attributes].map(({ name, value }) => '[' + name + '=' + (OF_ITS_OWN.test(name) ? value !== '' : value) + ']').join('')
  const likenessOf = (element) => {
    const parts = [...element.childNodes].map((node) => node instanceof Element ? likenessOf(node) : String(node instanceof Text && node.data.trim() !== ''))
    const likeness = ofAttributes(element) + '(' + parts + ')'
    likenesses.set(element, likeness)
    return likeness
  }
  const repeated = []
  const look = (element, path) => {
    for (const child of element.children) {
      const like = path + '>' + likenesses.get(child)
      seen.set(like, (seen.get(like) ?? 0) + 1)
      if (seen.get(like) > FEW && mayGo(child)) repeated.push(child)
      else if (!WHOLE.has(child.localName)) look(child, path + '>' + ofAttributes(child))
    }
  }
  likenessOf(document.body)
  look(document.body, at)
  return repeated
}`

/** Removes repeated elements from a page. Keeps every label, because its field may be in another place. */
export function keepFewOfEach(page: Page): Promise<void> {
  return page.evaluate(`
    for (const element of (${KEEP_FEW_SCRIPT})(new Map(), '', ({ localName }) => localName !== 'label')) element.remove()
  `)
}

/**
 * Marks elements that a page repeats, and elements that this window has already shown three times at this width, such
 * as the frame around every screen. Removes nothing, because the test continues to use the page. Does not mark
 * headings, because the level of a heading depends on the previous one.
 */
function markSeenParts(page: Page): Promise<void> {
  return page.evaluate(`
    for (const element of document.querySelectorAll('[data-judged]')) element.removeAttribute('data-judged')
    const DEPENDS = 'label, h1, h2, h3, h4, h5, h6'
    const mayGo = (element) => !element.matches(DEPENDS) && element.querySelector(DEPENDS) === null
    for (const element of (${KEEP_FEW_SCRIPT})(globalThis.judged ??= new Map(), innerWidth, mayGo)) element.dataset.judged = ''
  `)
}

/**
 * Asserts that the page loaded nothing from other sites, that no script failed, and that the Content-Security-Policy
 * was not violated.
 */
export function expectNoComplaints({ strayed, complaints }: ObservedPage): void {
  expect({ strayed, complaints }).toEqual({ strayed: [], complaints: [] })
}

/**
 * Returns the number of pixels by which the page is wider than its window. On a phone, such a page would scroll
 * sideways.
 */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { document } = globalThis as unknown as {
      document: { documentElement: { scrollWidth: number; clientWidth: number } }
    }
    return document.documentElement.scrollWidth - document.documentElement.clientWidth
  })
}

/**
 * Asserts that axe finds no errors on the current page, in light and dark mode, on a desktop and on a phone. On a
 * phone, the page must also fit the width of the screen.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize()
  const found: Record<string, string[]> = {}
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 850 })
    await markSeenParts(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      // In dark mode, only the colors differ, so only the contrast is checked.
      const findings = await findViolations(page, colorScheme === 'dark' ? ['color-contrast'] : [])
      if (findings.length > 0) found[`${width} ${colorScheme}`] = findings
    }
    expect({ width, overflow: await measureOverflow(page) }).toEqual({ width, overflow: 0 })
  }
  expect(found).toEqual({})
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before !== null) await page.setViewportSize(before)
}

/**
 * Navigates to another page like a link, without loading the scripts again. First goes to the sign-in page, so that no
 * dialog, message, or frame of the previous page remains.
 */
export async function goToPage(page: Page, address: string): Promise<void> {
  await page.mouse.move(0, 0)
  await navigateTo(page, '/sign-in')
  const signInPage = page.locator('.door')
  await signInPage.waitFor()
  await navigateTo(page, address)
  // The sign-in page stays until the other page is loaded. A test would mistake its form for that of the other page.
  if (!address.startsWith('/sign-in')) await signInPage.waitFor({ state: 'detached' })
}

function navigateTo(page: Page, address: string): Promise<void> {
  return page.evaluate((address) => {
    const { history, dispatchEvent } = globalThis as unknown as {
      history: { pushState(state: null, unused: string, address: string): void }
      dispatchEvent(event: Event): void
    }
    history.pushState(null, '', address)
    dispatchEvent(new Event('popstate'))
  }, address)
}
