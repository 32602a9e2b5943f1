import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
let link: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  const { body } = await get('/scopes?name=framing')
  await patch(`/scopes/${body.data[0].id}`, { spanishName: 'estructura de madera' })
  await post(`/vendors/${site.loneStar}/invite`)
  link = new URL(await plumbline.mailedLink(site.loneStar)).pathname
})
afterAll(() => plumbline.stop())

const get = (path: string) => plumbline.get(`/api/ext${path}`, { key: site.key })
const post = (path: string, body: object = {}) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const patch = (path: string, body: object) => plumbline.patch(`/api/ext${path}`, body, { key: site.key })
const portal = (path: string) => plumbline.get(`/api/portal${path}`, { key: link.split('/').at(-1) ?? '' })

/** Returns a page of the vendor's portal in both languages. */
async function readPages(path = ''): Promise<{ english: string; spanish: string }> {
  const read = async (language: string) =>
    (await fetch(`${plumbline.url}${link}${path}`, { headers: { 'accept-language': language } })).text()
  return { english: await read('en-US'), spanish: await read('es-MX') }
}

/** Joins the lines that a calendar folds after 75 bytes. */
const unfold = (calendar: string) => calendar.replaceAll('\r\n ', '')

async function newTask(fields: object): Promise<string> {
  const { body } = await post('/tasks', { homeId: site.lot15, vendorId: site.loneStar, scope: 'framing', ...fields })
  await post(`/tasks/${body.id}/confirmation/request`)
  return body.id
}

test('a schedule that is created from a template has the Spanish names of its rows', async () => {
  const rows = [{ name: 'Slab poured', spanishName: 'Colar la losa', scope: 'foundation' }, { name: 'Pad graded' }]
  const template = await post('/task-templates', { name: 'Slab house', rows })
  expect(template.body.rows).toMatchObject([{ spanishName: 'Colar la losa' }, { spanishName: null }])
  const homeId = (await post('/homes', { name: 'Lot 16', communityId: site.communityId })).body.id
  const applied = await post(`/homes/${homeId}/schedule/template`, {
    ...{ startDate: site.day(7), taskTemplateId: template.body.id },
  })
  expect(applied.status).toBe(200)
  const tasks = (await get(`/tasks?homeId=${homeId}&sort=createdAt`)).body.data
  expect(tasks).toMatchObject([
    { name: 'Slab poured', spanishName: 'Colar la losa' },
    { name: 'Pad graded', spanishName: null },
  ])
  const [slab] = tasks
  expect((await patch(`/tasks/${slab.id}`, { spanishName: 'Colar el piso' })).body.spanishName).toBe('Colar el piso')
  expect((await patch(`/tasks/${slab.id}`, { spanishName: null })).body.spanishName).toBeNull()
  expect((await patch(`/tasks/${slab.id}`, { spanishName: ' ' })).status).toBe(422)
})

test('the portal shows tasks and trades in the language of the page', async () => {
  const id = await newTask({ name: 'Walls framed', spanishName: 'Armar las paredes' })
  expect((await portal('/tasks')).body.data).toContainEqual(
    expect.objectContaining({ id, name: 'Walls framed', spanishName: 'Armar las paredes' }),
  )
  expect((await portal(`/tasks/${id}`)).body).toMatchObject({
    ...{ spanishName: 'Armar las paredes', scope: 'framing', spanishScope: 'estructura de madera' },
  })
  for (const path of ['', '/dates', `/${id}`]) {
    const { english, spanish } = await readPages(path)
    expect(english).toContain('Walls framed')
    expect(english).not.toContain('Armar las paredes')
    expect(spanish).toContain('Armar las paredes')
    expect(spanish).not.toContain('Walls framed')
  }
  const page = await readPages(`/${id}`)
  expect([page.english, page.spanish]).toEqual([
    expect.stringContaining('Framing'),
    expect.stringContaining('Estructura de madera'),
  ])
})

test('a task without a Spanish name keeps its name in Spanish', async () => {
  const id = await newTask({ name: 'Trusses set', scope: null })
  for (const path of ['/dates', `/${id}`]) expect((await readPages(path)).spanish).toContain('Trusses set')
})

test('bid requests without a title and orders show the trade in the language of the page', async () => {
  const { body: request } = await post('/bids/request', site.framing())
  const invitation = request.invitations.find(({ vendorId }: { vendorId: string }) => vendorId === site.loneStar)
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  const draft = { homeId: site.lot15, vendorId: site.loneStar, scope: 'Framing', lines }
  const { body: order } = await post('/purchase-orders', draft)
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${order.id}/status`, { status })
  expect((await portal('/invitations')).body.data[0].request).toMatchObject({ spanishScope: 'estructura de madera' })
  expect((await portal('/orders')).body.data[0]).toMatchObject({ spanishScope: 'estructura de madera' })
  const titles: [path: string, english: string, spanish: string][] = [
    ['', `${request.number} · Framing`, `${request.number} · Estructura de madera`],
    ['', `${order.number}, Framing`, `${order.number}, Estructura de madera`],
    [`/${invitation.id}`, 'Framing, Juniper Ridge', 'Estructura de madera, Juniper Ridge'],
    [`/${invitation.id}/price`, 'Framing, Juniper Ridge', 'Estructura de madera, Juniper Ridge'],
    [`/${order.id}`, 'Framing, Lot 15', 'Estructura de madera, Lot 15'],
  ]
  for (const [path, english, spanish] of titles) {
    const page = await readPages(path)
    expect([path, page.english, page.spanish]).toEqual([
      path,
      expect.stringContaining(english),
      expect.stringContaining(spanish),
    ])
  }
})

test('an item to fix shows its trade in the language of the page', async () => {
  const { status, body: item } = await post('/punch-items', {
    ...{ homeId: site.lot15, description: 'A stud is bowed.', scope: 'framing', vendorId: site.loneStar },
    dueDate: site.day(5),
  })
  expect([status, item.status]).toEqual([201, 'assigned'])
  const { english, spanish } = await readPages(`/${item.id}`)
  expect([english, spanish]).toEqual([
    expect.stringContaining('>Framing<'),
    expect.stringContaining('>Estructura de madera<'),
  ])
})

test("the calendar of a vendor has the vendor's language, or the language of the page that created it", async () => {
  await newTask({ name: 'Roof sheathed', spanishName: 'Forrar el techo' })
  const { url } = (await post('/calendar-feeds', { vendorId: site.loneStar })).body
  const read = async (query = '') =>
    unfold(await (await fetch(`${plumbline.url}${new URL(url).pathname}${query}`)).text())
  expect(await read()).toMatch(/Lot 15: Roof sheathed[\s\S]*framing\\nNot started\\nDate not confirmed/)
  expect(await read('?language=es')).toMatch(
    /Lot 15: Forrar el techo[\s\S]*estructura de madera\\nSin empezar\\nFecha sin confirmar/,
  )
  await patch(`/vendors/${site.loneStar}`, { language: 'es' })
  expect(await read()).toContain('Lot 15: Forrar el techo')
  expect(await read('?language=en')).toContain('Lot 15: Roof sheathed')
  await patch(`/vendors/${site.loneStar}`, { language: null })

  const sent = await fetch(`${plumbline.url}${link}/dates`, {
    ...{ method: 'POST', redirect: 'manual', headers: { 'accept-language': 'es' } },
  })
  const created = await fetch(plumbline.url + sent.headers.get('location'), { headers: { 'accept-language': 'es' } })
  const [shown = ''] = /webcal:[^"]+/.exec(await created.text()) ?? []
  expect(shown).toMatch(/\.ics\?language=es$/)
})
