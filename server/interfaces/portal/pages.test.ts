import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { english } from './pages/words/english.ts'
import { spanish } from './pages/words/spanish.ts'

/** Tests how the pages handle forms that no browser would send, and in which language the pages are. */
let plumbline: TestPlumbline
let site: Site
/** The paths of a vendor's whole portal and of its price form. */
let root: string
let price: string
let draftOf: () => Promise<unknown>

const LINES = [{ lineId: 'walls', description: 'Walls', quantity: 10, unit: 'SF' }]

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  const post = (path: string, body?: unknown) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
  const { body } = await post('/bids/request', { ...site.framing(), lines: LINES, bidType: 'unit_price' })
  await post(`/vendors/${site.loneStar}/invite`)
  root = new URL(await plumbline.mailedLink(site.loneStar)).pathname
  const [{ id }] = body.invitations
  price = `${root}/${id}/price`
  draftOf = async () =>
    (await plumbline.get(`/api/portal/invitations/${id}/bid`, { key: root.split('/').at(-1) ?? '' })).body.draft
})
afterAll(() => plumbline.stop())

const ask = (path: string, init: RequestInit = {}) => fetch(plumbline.url + path, { redirect: 'manual', ...init })
function send(path: string, fields: Record<string, string | File>): Promise<Response> {
  const form = new FormData()
  form.append('by', 'lines')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return ask(path, { method: 'POST', body: form })
}
/** Sends a form and follows the redirect to the next page, as a browser does. */
async function follow(path: string, fields: Record<string, string | File>): Promise<Response> {
  const answer = await send(path, fields)
  expect(answer.status).toBe(303)
  return ask(answer.headers.get('location') ?? '')
}
const MEBIBYTE = 1024 * 1024

test('the error page for a malformed or oversized portal form explains the problem', async () => {
  const type = 'multipart/form-data; boundary=x'
  const raw = (body: string, contentType = type) =>
    ask(price, { method: 'POST', body, headers: { 'content-type': contentType } })
  for (const answer of [
    await raw('nothing that a browser sends'),
    await raw('--x\r\nContent-Disposition: form-data; name="p0"\r\n\r\n9'),
    await raw('{"p0":9}', 'application/json'),
    await raw('p0=9', 'multipart/form-data'),
    await send(price, { p0: '9', note: 'x'.repeat(30_000) }),
    await follow(price, { p0: '?', file: new File(['x'.repeat(25 * MEBIBYTE + 1)], 'Large.txt') }),
    await follow(price, { p0: '?', file: new File(['x'.repeat(41 * MEBIBYTE)], 'Larger.txt') }),
  ]) {
    expect([400, 413, 422]).toContain(answer.status)
    expect(await answer.text()).toMatch(/The form was not sent|The text is too long|Please correct 1 entry/)
  }
  expect(await draftOf()).toBeNull()
})

test('a portal form that ends within a file is rejected without affecting later requests', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  for (const name of ['Offer.txt', ''])
    for (const bytes of [0, 4, 200_000]) {
      const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${'x'.repeat(bytes)}`
      const refused = await ask(price, { method: 'POST', headers, body })
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('The form was not sent')])
    }
  expect((await ask(price)).status).toBe(200)
})

test('if a portal form contains several files, only the first file is used', async () => {
  const form = new FormData()
  form.append('by', 'lines')
  form.append('file', new File(['Two coats'], 'Offer.txt'))
  form.append('file', new File(['x'.repeat(300_000)], 'Second.txt'))
  form.append('p0', '9')
  expect((await ask(price, { method: 'POST', body: form })).status).toBe(303)
  const answers = await ask(`${root}/${price.split('/').at(-2)}`)
  const html = await answers.text()
  expect([html.includes('Offer.txt'), html.includes('Second.txt')]).toEqual([true, false])
})

test('a portal form gets a response even if the service does not read the whole form', async () => {
  const part = `--x\r\n${'Content-Disposition: form-data; name="p0"\r\n'.repeat(3000)}\r\n\r\n9\r\n--x\r\n`
  const headers = { 'content-type': 'multipart/form-data; boundary=x', connection: 'close' }
  const refused = await ask(price, { method: 'POST', headers, body: part + 'x'.repeat(5 * MEBIBYTE) })
  expect(refused.status).toBe(400)
  const noForm = await ask(price, { method: 'POST', headers, body: 'x'.repeat(45 * MEBIBYTE) })
  expect(noForm.status).toBe(400)
})

test('the values of a portal form are saved even if its file is invalid', async () => {
  const nul = String.fromCharCode(0)
  const program = new File([`MZ${nul}${nul}program`], 'Setup.exe')
  const refused = await follow(price, {
    p0: ' $1,234.50 ',
    s0: 'alternate',
    n0: `Two${nul} coats`,
    note: 'a\r\nb',
    file: program,
  })
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('The file was not accepted')])
  expect(await draftOf()).toMatchObject({
    lines: [{ lineId: 'walls', unitPrice: 1234.5, alternate: true, note: 'Two coats' }],
    note: 'a\nb',
  })
  const saved = await follow(price, { p0: '', s0: 'something else', validUntil: 'soon', file: new File([], '') })
  expect([saved.status, await saved.text()]).toEqual([422, expect.stringContaining('Choose a date')])
  expect((await send(price, { p0: '7', do: 'review' })).headers.get('location')).toBe(price.replace('price', 'review'))
})

test('entered values stay in the portal form if one of them cannot be parsed', async () => {
  const html = await (
    await follow(price, { p0: '1,70', n0: '<Studs>', leadTimeDays: '9999', exclusions: '"Crane"' })
  ).text()
  for (const shown of [
    'value="1,70"',
    '&lt;Studs&gt;',
    'value="9999"',
    '&quot;Crane&quot;',
    'Please correct 2 entries.',
  ])
    expect(html).toContain(shown)
  expect(html).not.toContain('<Studs>')
})

test('a portal page that does not exist or belongs to another vendor returns 404', async () => {
  for (const path of [
    '/nothing',
    '/hand-in/more',
    '/orders/more',
    `/po_${'0'.repeat(26)}`,
    `${price.slice(root.length)}x`,
  ])
    expect([path, (await ask(root + path)).status]).toEqual([path, 404])
  for (const path of ['', '/orders', '/nothing', '/hand-in/more'])
    expect([path, (await ask(root + path, { method: 'POST', body: new URLSearchParams({ do: 'x' }) })).status]).toEqual(
      [path, 404],
    )
  expect((await ask(`${root}/orders?cursor=nonsense`)).status).toBeLessThan(500)
})

test('the portal language is set by the language link, then the vendor record, and then the browser', async () => {
  const inSpanish = async (headers: Record<string, string> = {}) =>
    (await (await ask(root, { headers })).text()).includes('<html lang="es"')
  const note = (language: string | null) =>
    plumbline.patch(`/api/ext/vendors/${site.loneStar}`, { language }, { key: site.key })
  expect(await inSpanish()).toBe(false)
  expect(await inSpanish({ 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' })).toBe(true)
  expect(await inSpanish({ 'accept-language': 'fr-CA' })).toBe(false)
  await note('es')
  expect(await inSpanish({ 'accept-language': 'en-US' })).toBe(true)
  const chosen = await ask(`${root}?language=en`)
  expect([chosen.status, chosen.headers.get('location')]).toEqual([303, root])
  const [cookie = ''] = chosen.headers.getSetCookie()
  expect(cookie).toMatch(/^portal_language=en; .*Path=\/;.*HttpOnly; SameSite=Lax/)
  expect(await inSpanish({ cookie: cookie.split(';', 1)[0] ?? '' })).toBe(false)
  expect(await inSpanish({ cookie: 'portal_language=xx' })).toBe(true)
  expect(await (await ask(`${root}?language=xx`)).text()).toContain('<html lang="es"')
  expect(await (await ask(`${root}/nothing`)).text()).toContain('No se encontró')
  await note(null)
})

test('the Spanish portal pages contain no English text', () => {
  const same: string[] = []
  // Texts that are the same in both languages, and values that are not texts.
  const alike = new Set(['No', 'Total', 'unit', '/ unit'])
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (typeof one === 'function' && typeof other === 'function')
      for (const value of ['unit', 1, 2]) compare(one(value, value, value), other(value, value, value), path)
    else if (typeof one === 'object' && one !== null)
      for (const [name, value] of Object.entries(one))
        compare(value, (other as Record<string, unknown>)[name], `${path}/${name}`)
    else if (one === other && typeof one === 'string' && one !== '' && !alike.has(one) && !/^\/ [12]$/.test(one))
      same.push(`${path}: ${one}`)
  }
  compare(english, spanish, '')
  expect(same).toEqual([])
})
