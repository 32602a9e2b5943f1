import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../test/support/site.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createWorkCalendar } from '../../platform/values/workdays.ts'

const PORTAL = '/api/portal/tasks'
const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: [] })

let plumbline: TestPlumbline
let site: Site
/** The vendor's portal link. Each test has its own vendor. */
let portalUrl: string
let vendorId: string
let taskId: string
let start: string
let vendors = 0

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(() => plumbline.stop())
beforeEach(async () => {
  start = calendar.onOrAfter(site.day(30))
  const vendor = { companyName: `Framers ${++vendors}`, email: 'bids@example.com' }
  vendorId = (await post('/vendors', vendor)).body.id
  taskId = await newTask('Walls <framed>')
  await post(`/tasks/${taskId}/confirmation/request`)
  portalUrl = await plumbline.mailedLink(vendorId)
})

const post = (path: string, body?: object) => plumbline.post(`/api/ext${path}`, body, { key: site.key })
const newTask = async (name: string) =>
  (await post('/tasks', { homeId: site.lot15, name, vendorId, plannedStart: start })).body.id
const read = async (id = taskId) => (await plumbline.get(`/api/ext/tasks/${id}`, { key: site.key })).body
const tokenOf = (url: string) => url.split('/').at(-1) ?? ''
const vendor = () => ({ key: tokenOf(portalUrl) })
/** Requests a page below the vendor's portal link, from the test's own server and port. */
/** Opens a page, or sends a form. If the form was not accepted, opens the page that shows the reason. */
async function page(path = '', init: RequestInit = {}): Promise<Response> {
  const answer = await fetch(`${plumbline.url}${new URL(portalUrl).pathname}${path}`, { redirect: 'manual', ...init })
  const location = answer.headers.get('location') ?? ''
  return location.includes('?retry=') ? fetch(plumbline.url + location, { headers: init.headers ?? {} }) : answer
}
const say = (form: Record<string, string>, id = taskId, headers: Record<string, string> = {}) =>
  page(`/${id}`, { method: 'POST', body: new URLSearchParams(form), headers })

test('a vendor can see and confirm the dates of its tasks in the portal', async () => {
  const untold = await newTask('Not told yet')
  const overview = await (await page()).text()
  expect(overview).toContain(`/${taskId}">Walls &lt;framed&gt;, Lot 15, Juniper Ridge</a>`)
  expect(overview).toContain('please confirm')
  expect(overview).not.toContain('Not told yet')
  const html = await (await page(`/${taskId}`)).text()
  expect(html).toContain('Please confirm that you will be there.')
  expect(html).not.toMatch(/<script|<framed>/)
  const said = await say({ answer: 'confirmed' })
  expect([said.status, said.headers.get('location')]).toEqual([303, `${new URL(portalUrl).pathname}/${taskId}`])
  expect((await read()).confirmation).toMatchObject({ status: 'confirmed' })
  expect(await (await page(`/${taskId}`)).text()).toContain('You said that you will be there.')
  expect((await page(`/${untold}`)).status).toBe(404)
})

test('the builder sees why a vendor proposes another date or declines a task', async () => {
  const proposedStart = calendar.add(start, 5)
  expect(
    (await say({ answer: 'reschedule_requested', proposedStart, note: ' The crew is in <Dallas>. ' })).status,
  ).toBe(303)
  const { confirmation, version } = await read()
  expect(confirmation).toMatchObject({
    status: 'reschedule_requested',
    proposedStart,
    note: 'The crew is in <Dallas>.',
  })
  expect(await (await page(`/${taskId}`)).text()).toContain('The crew is in &lt;Dallas&gt;.')
  expect(await (await page()).text()).toContain('you proposed')
  const wrong = await say({ answer: 'reschedule_requested', proposedStart: site.day(-1) })
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining('Choose another date')])
  expect((await say({ answer: 'reschedule_requested', proposedStart: 'tomorrow' })).status).toBe(422)
  expect((await say({ answer: 'none' })).status).toBe(422)
  expect((await read()).version).toBe(version)
  expect((await say({ answer: 'declined', note: '' })).status).toBe(303)
  expect((await read()).confirmation).toMatchObject({ status: 'declined', proposedStart: null, note: null })
  const accepted = await post(`/tasks/${taskId}/confirmation/decision`, { accept: true })
  expect(accepted.status).toBe(409)
})

test("a vendor's own system can list and respond to the vendor's tasks through the API", async () => {
  const roof = await newTask('Roof sheathed')
  await post(`/tasks/${roof}/confirmation`, { answer: 'confirmed' })
  const listed = async (query = '') => (await plumbline.get(`${PORTAL}${query}`, vendor())).body.data
  expect((await listed()).map(({ id }: { id: string }) => id)).toEqual([taskId, roof])
  expect(await listed('?confirmationStatus=requested')).toMatchObject([
    { id: taskId, plannedStart: start, home: { name: 'Lot 15', community: 'Juniper Ridge' } },
  ])
  const { body: first } = await plumbline.get(`${PORTAL}?limit=1`, vendor())
  const next = await plumbline.get(`${PORTAL}?limit=1&cursor=${first.nextCursor}`, vendor())
  expect(next.body).toMatchObject({ data: [{ id: roof }], nextCursor: null })
  const answer = { answer: 'confirmed' }
  const { body } = await plumbline.post(`${PORTAL}/${taskId}/answer`, answer, vendor())
  expect(body).toMatchObject({
    id: taskId,
    confirmation: { status: 'confirmed' },
    canAnswer: true,
    home: { name: 'Lot 15' },
  })
  const again = await plumbline.post(`${PORTAL}/${taskId}/answer`, answer, vendor())
  expect(again.body).toEqual(body)
  expect((await plumbline.get(`${PORTAL}/${taskId}`, vendor())).body).toEqual(body)
})

test('a vendor can change its response to a task at most six times per hour', async () => {
  for (let i = 0; i < 6; i++) expect((await say({ answer: i % 2 === 0 ? 'confirmed' : 'declined' })).status).toBe(303)
  const page = await say({ answer: 'confirmed' })
  expect([page.status, await page.text()]).toEqual([429, expect.stringContaining('Your last response is saved')])
  const refused = await plumbline.post(`${PORTAL}/${taskId}/answer`, { answer: 'confirmed' }, vendor())
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_answers'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000)
  expect((await say({ answer: 'declined' })).status).toBe(303)
  plumbline.clock.advance(3_600_000)
  expect((await say({ answer: 'confirmed' })).status).toBe(303)
})

test('the portal page of a task shows its trade with a capital letter, and spaces instead of underscores', async () => {
  const planned = { homeId: site.lot15, name: 'Lot cleared', vendorId, plannedStart: start }
  const { body } = await post('/tasks?createScopes=true', { ...planned, scope: 'site_work' })
  await post(`/tasks/${body.id}/confirmation/request`)
  const html = await (await page(`/${body.id}`)).text()
  expect(html).toContain('Site work')
  expect(html).not.toContain('site_work')
})

test('a date of a home with an address links to a map, which does not learn the portal link', async () => {
  expect(await (await page(`/${taskId}`)).text()).not.toContain('Show on a map')
  const address = { line1: '118 Juniper Ridge Dr', city: 'Austin', state: 'TX', postalCode: '78744' }
  const { body: home } = await post('/homes', { name: 'Lot 99', communityId: site.communityId, address })
  const { body } = await post('/tasks', { homeId: home.id, name: 'Walls framed', vendorId, plannedStart: start })
  await post(`/tasks/${body.id}/confirmation/request`)
  const html = await (await page(`/${body.id}`)).text()
  const [, url = '', rest = ''] = /<a href="(https:[^"]+)"([^>]*)>Show on a map/.exec(html) ?? []
  expect(new URL(url.replaceAll('&amp;', '&')).searchParams.get('query')).toBe(
    '118 Juniper Ridge Dr, Austin, TX, 78744',
  )
  expect(rest).toContain('noreferrer')
  const spanish = await page(`/${body.id}`, { headers: { 'accept-language': 'es' } })
  expect(await spanish.text()).toContain('Ver en un mapa')
})

test("only the vendor of a task can respond to it, and only with a link to the vendor's whole portal", async () => {
  await post(`/vendors/${site.hillCountry}/invite`)
  const { body: request } = await post('/bids/request', { ...site.framing(), vendorIds: [site.loneStar] })
  for (const subjectId of [site.hillCountry, request.invitations[0].id]) {
    const url = await plumbline.mailedLink(subjectId)
    const options = { key: tokenOf(url) }
    expect((await plumbline.get(PORTAL, options)).body.data).toEqual([])
    expect((await plumbline.get(`${PORTAL}/${taskId}`, options)).status).toBe(404)
    expect((await plumbline.post(`${PORTAL}/${taskId}/answer`, { answer: 'confirmed' }, options)).status).toBe(404)
    expect((await fetch(`${plumbline.url}${new URL(url).pathname}/${taskId}`)).status).toBe(404)
  }
  expect((await read()).confirmation.status).toBe('requested')
})

test("the portal shows a conflict in the vendor's language and without instructions for the builder", async () => {
  plumbline.clock.advance(40 * 86_400_000)
  const { body } = await plumbline.post(`${PORTAL}/${taskId}/answer`, { answer: 'confirmed' }, vendor())
  expect([body.reason, body.detail]).toEqual(['wrong_status', expect.stringContaining('Move the task first.')])
  for (const [language, sentence] of [
    ['en', 'This page has changed since you opened it, or its date has passed. Please reload the page.'],
    ['es', 'Esta página cambió desde que usted la abrió, o su fecha ya pasó. Vuelva a cargar la página.'],
  ] as const) {
    const html = await (await say({ answer: 'confirmed' }, taskId, { 'accept-language': language })).text()
    expect(html).toContain(sentence)
    expect(html).not.toContain('Move the task first')
  }
})

test('a vendor cannot respond to an overdue task', async () => {
  plumbline.clock.advance(40 * 86_400_000)
  expect((await plumbline.get(`${PORTAL}/${taskId}`, vendor())).body.canAnswer).toBe(false)
  expect(await (await page(`/${taskId}`)).text()).not.toContain('<form')
  const late = await plumbline.post(`${PORTAL}/${taskId}/answer`, { answer: 'confirmed' }, vendor())
  expect(late.status).toBe(409)
  expect(await (await say({ answer: 'confirmed' })).text()).toContain('Too late')
})

test("the portal does not show another vendor's task", async () => {
  await plumbline.patch(`/api/ext/tasks/${taskId}`, { vendorId: site.hillCountry }, { key: site.key })
  expect((await plumbline.get(`${PORTAL}/${taskId}`, vendor())).status).toBe(404)
  await plumbline.patch(`/api/ext/tasks/${taskId}`, { vendorId }, { key: site.key })
})

test('the portal does not show a task that has started', async () => {
  await post(`/tasks/${taskId}/status`, { status: 'in_progress' })
  expect((await plumbline.get(PORTAL, vendor())).body.data).toEqual([])
})
