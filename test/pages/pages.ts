import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
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

/** What axe finds on a page, apart from what is marked as judged, by all its rules or by some: the rule, and where. */
export async function violations(page: Page, runOnly: string[] = []): Promise<string[]> {
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
    // What passes is not described, and no style sheet is fetched once more.
    const options = { resultTypes: ['violations'], preload: false, ...(runOnly.length > 0 && { runOnly }) }
    const found = await run.run({ exclude: ['[data-judged]'] }, options)
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
    )
  }, runOnly)
}

/**
 * What a page repeats, so that axe looks at the kinds of things on it and not at each of 13,000 elements: of those below
 * the like that differ in their words, names and addresses alone, all but three. These are enough for what a style sheet
 * makes of the first one, and of every other one. Terms go with what is said of them, and cells with their row.
 */
const REPEATED = `(seen, at, mayGo) => {
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

/** Takes away what a page repeats. Every label stays, whose field may be elsewhere. */
export function keepFewOfEach(page: Page): Promise<void> {
  return page.evaluate(`
    for (const element of (${REPEATED})(new Map(), '', ({ localName }) => localName !== 'label')) element.remove()
  `)
}

/**
 * Marks what a page repeats, and what this window showed three times already at this width, such as the frame around every
 * screen. Nothing is taken away, because the page goes on to be used. Every heading is judged again, whose level depends on
 * the one before.
 */
function markWhatIsJudged(page: Page): Promise<void> {
  return page.evaluate(`
    for (const element of document.querySelectorAll('[data-judged]')) element.removeAttribute('data-judged')
    const DEPENDS = 'label, h1, h2, h3, h4, h5, h6'
    const mayGo = (element) => !element.matches(DEPENDS) && element.querySelector(DEPENDS) === null
    for (const element of (${REPEATED})(globalThis.judged ??= new Map(), innerWidth, mayGo)) element.dataset.judged = ''
  `)
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

/** What a page shows now holds no finding of axe, light and dark, on a desk and on a phone, where it is no wider than that. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize()
  const found: Record<string, string[]> = {}
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 850 })
    await markWhatIsJudged(page)
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
