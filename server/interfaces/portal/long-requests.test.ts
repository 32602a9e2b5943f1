import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests the search in a request with many lines, on pages without scripts. Searching must not lose any price. */
let plumbline: TestPlumbline
let site: Site
/** The path of the page for a request with 60 lines. */
let request: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  const lines = Array.from({ length: 60 }, (_, i) => ({
    ...{ lineId: `l${i}`, description: i === 41 ? 'Grúa y montaje' : `Wall ${i}`, quantity: 1, unit: 'EA' },
  }))
  const asked = { ...site.framing(), lines, bidType: 'unit_price' }
  const { body } = await plumbline.post('/api/ext/bids/request', asked, { key: site.key })
  const [{ id }] = body.invitations
  request = `${new URL(await plumbline.mailedLink(id)).pathname}/${id}`
})
afterAll(() => plumbline.stop())

const page = async (path: string) => (await fetch(plumbline.url + path)).text()
async function send(path: string, fields: Record<string, string>): Promise<string> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const sent = await fetch(plumbline.url + path, { method: 'POST', body: form, redirect: 'manual' })
  expect(sent.status).toBe(303)
  return sent.headers.get('location') ?? ''
}

test('the lines of a long bid request can be filtered by words, ignoring case and accents', async () => {
  const html = await page(`${request}?q=GRUA`)
  expect(html).toContain('1 of 60 lines')
  expect(html).toContain('Grúa y montaje')
  expect(html).not.toContain('Wall 7')
  expect(await page(`${request}?q=crane`)).toContain('No line has this text.')
  expect(await page(request)).toContain('Wall 7')
})

test('the URL of a search for lines contains only the words, not a token', async () => {
  const [form = ''] = /<form class="in" method="get">.*?<\/form>/s.exec(await page(request)) ?? []
  expect(form).toContain('name="q"')
  expect(form).not.toContain('once')
})

test('searching on the price page saves the entered prices and links to the matching lines', async () => {
  const location = await send(`${request}/price`, { by: 'lines', p3: '77', find: 'grua', do: 'find' })
  expect(location).toBe(`${request.slice(0)}/price?find=grua#found`)
  const html = await page(location)
  expect(html).toContain('<a href="#p41">Grúa y montaje</a>')
  expect(html).toContain('id="p3" name="p3" inputmode="decimal" maxlength="40" value="77"')
})

test('searching on the price page keeps a price that cannot be parsed', async () => {
  const location = await send(`${request}/price`, { by: 'lines', p3: '12k', find: 'grua', do: 'find' })
  const html = await page(location)
  for (const shown of ['value="12k"', '<a href="#p41">', 'Write the full amount']) expect(html).toContain(shown)
})

test('pressing Enter in the price form updates the totals without removing or sending anything', async () => {
  const html = await page(`${request}/price`)
  const [, first] = /<form method="post" id="price".*?<button[^>]*value="([^"]+)"/s.exec(html) ?? []
  expect(first).toBe('totals')
})
