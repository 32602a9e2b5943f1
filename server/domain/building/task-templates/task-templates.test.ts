import { afterAll, beforeAll, expect, test } from 'vitest'
import { listProductionRows } from '../../../../test/support/production-home.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

const TEMPLATES = '/api/ext/task-templates'

let plumbline: TestPlumbline

beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

async function made(path: string, body: object) {
  const answer = await plumbline.post(`/api/ext/${path}`, body)
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body
}

const slabAndWalls = () => [
  { name: 'Slab poured', scope: 'Concrete', checklist: ['Cables photographed'] },
  { name: 'Walls framed', durationDays: 6, predecessors: [{ name: 'Slab poured', lagDays: 4 }] },
]

test('the duration of a template is computed from its rows', async () => {
  const template = await made('task-templates', { name: 'Production house', rows: listProductionRows() })
  expect(template).toMatchObject({ planId: null, communityId: null, taskCount: 101, workdays: 116, version: 1 })
  expect(template.rows[60]).toMatchObject({ scope: null, vendorId: null, checklist: [] })
  const read = await plumbline.get(`${TEMPLATES}/${template.id}`)
  expect(read.body).toEqual(template)
  const { rows: _rows, ...summary } = template
  const { body: page } = await plumbline.get(`${TEMPLATES}?q=production`)
  expect(page.data).toEqual([summary])
})

test('omitted fields of a template row get default values', async () => {
  await made('scopes', { name: 'concrete' })
  const rows = [...slabAndWalls(), { name: 'Permit issued', taskKind: 'milestone' }]
  const { rows: stored } = await made('task-templates', { name: 'Slab house', rows })
  expect(stored).toEqual([
    {
      ...{ name: 'Slab poured', scope: 'concrete', phase: null, taskKind: 'work', durationDays: 1, vendorId: null },
      ...{ spanishName: null, predecessors: [], checklist: ['Cables photographed'] },
    },
    {
      ...{ name: 'Walls framed', scope: null, phase: null, taskKind: 'work', durationDays: 6, vendorId: null },
      predecessors: [{ name: 'Slab poured', type: 'FS', lagDays: 4, lagUnit: 'workdays' }],
      ...{ spanishName: null, checklist: [] },
    },
    {
      ...{ name: 'Permit issued', scope: null, phase: null, taskKind: 'milestone', durationDays: 0, vendorId: null },
      ...{ spanishName: null, predecessors: [], checklist: [] },
    },
  ])
})

test('every error in a template row is reported at that row', async () => {
  const rows = [
    { name: 'Slab poured', durationDays: 0 },
    { name: 'Walls framed', predecessors: [{ name: 'Slab' }, { name: 'Slab poured' }, { name: 'Slab poured' }] },
    { name: 'Walls framed', taskKind: 'milestone', durationDays: 2, predecessors: [] },
  ]
  const refused = await plumbline.post(TEMPLATES, { name: 'Faulty', rows })
  expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed'])
  expect(refused.body.errors).toEqual([
    { pointer: '/rows/0/durationDays', code: 'duration', message: 'must be at least 1 unless taskKind is milestone' },
    {
      pointer: '/rows/1/predecessors/0/name',
      code: 'unknown_row',
      message: 'does not match the name of any row: Slab',
    },
    {
      pointer: '/rows/1/predecessors/2/name',
      code: 'unique',
      message: 'must be unique; another predecessor has the same name and the type FS',
    },
    { pointer: '/rows/2/name', code: 'unique', message: 'must be unique; another row has the same name' },
    { pointer: '/rows/2/durationDays', code: 'duration', message: 'must be 0 when taskKind is milestone' },
  ])
})

test('a template with 1,000 invalid rows is rejected with the first 100 errors', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({ name: `Task ${i}`, predecessors: [{ name: 'Nothing' }] }))
  const refused = await plumbline.post(TEMPLATES, { name: 'Faulty', rows })
  expect([refused.status, refused.body.errors.length]).toEqual([422, 100])
})

test('a template with circular links is rejected with the names of the rows', async () => {
  const rows = [
    { name: 'Permit issued' },
    { name: 'Slab poured', scope: 'ring making', predecessors: [{ name: 'Roof sheathed', type: 'SS' }] },
    { name: 'Walls framed', predecessors: [{ name: 'Slab poured' }, { name: 'Permit issued' }] },
    { name: 'Roof sheathed', predecessors: [{ name: 'Walls framed' }] },
  ]
  const refused = await plumbline.post(TEMPLATES, { name: 'Ring', rows })
  expect(refused.status).toBe(422)
  expect(refused.body.errors).toEqual([
    {
      pointer: '/rows/1/predecessors',
      code: 'ring',
      message:
        'must not form a cycle: Slab poured waits for Roof sheathed waits for Walls framed waits for Slab poured',
    },
  ])
  expect((await plumbline.get('/api/ext/scopes?name=ring making')).body.data).toEqual([])
})

test('a template whose schedule would take centuries is rejected', async () => {
  const rows = Array.from({ length: 1000 }, (_, i) => ({
    ...{ name: `Task ${i}`, durationDays: 1000, predecessors: i === 0 ? [] : [{ name: `Task ${i - 1}` }] },
  }))
  const refused = await plumbline.post(TEMPLATES, { name: 'Cathedral', rows })
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ code: 'out_of_range' }] } })
})

test('a template is rejected if a record that it refers to does not exist or is an archived vendor', async () => {
  const absent = (prefix: string) => `${prefix}_01m7y975jyfesvq6zzzzzzzzzz`
  const rows = [{ name: 'Slab poured' }, { name: 'Walls framed', vendorId: absent('ven') }]
  for (const [body, pointer] of [
    [{ name: 'T', rows, planId: absent('pln') }, '/planId'],
    [{ name: 'T', rows, communityId: absent('com') }, '/communityId'],
    [{ name: 'T', rows }, '/rows/1/vendorId'],
  ] as const) {
    const refused = await plumbline.post(TEMPLATES, body)
    expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_reference', errors: [{ pointer }] } })
  }
  const vendor = await made('vendors', { companyName: 'Gone Framing' })
  await plumbline.delete(`/api/ext/vendors/${vendor.id}`)
  const refused = await plumbline.post(TEMPLATES, { name: 'T', rows: [{ name: 'Walls framed', vendorId: vendor.id }] })
  expect(refused).toMatchObject({ status: 409, body: { reason: 'vendor_archived' } })
})

test('new rows of a template replace all of its existing rows', async () => {
  const template = await made('task-templates', { name: 'Slab house', rows: slabAndWalls() })
  const at = `${TEMPLATES}/${template.id}`
  const renamed = await plumbline.patch(at, { name: 'House on a slab' })
  expect(renamed.body).toMatchObject({ name: 'House on a slab', taskCount: 2, workdays: 11, version: 2 })
  expect(renamed.body.rows).toEqual(template.rows)
  const [slab] = slabAndWalls()
  const shorter = await plumbline.patch(at, { rows: [slab] }, { headers: { 'if-match': '"2"' } })
  expect(shorter.body).toMatchObject({ taskCount: 1, workdays: 1, version: 3 })
  expect((await plumbline.patch(at, { rows: [slab] }, { headers: { 'if-match': '"2"' } })).status).toBe(412)
  expect((await plumbline.patch(at, { rows: [slab] })).body.version).toBe(3)
  expect((await plumbline.patch(at, { rows: [] })).status).toBe(422)
})

test('archived templates are listed only on request', async () => {
  const plan = await made('plans', { code: 'P2100', name: 'The Juniper' })
  const other = await made('plans', { code: 'P2850', name: 'The Cedar' })
  const community = await made('communities', { name: 'Barton Bluff' })
  const rows = slabAndWalls()
  const { id: general } = await made('task-templates', { name: 'Nowhere else: general', rows })
  const { id: ofPlan } = await made('task-templates', { name: 'Nowhere else: plan', rows, planId: plan.id })
  const fields = { rows, planId: other.id, communityId: community.id }
  const { id: ofBoth } = await made('task-templates', { name: 'Nowhere else: both', ...fields })
  const found = async (query: string) =>
    (await plumbline.get(`${TEMPLATES}?q=nowhere&sort=name&${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await found('')).toEqual([ofBoth, general, ofPlan])
  expect(await found(`planId=${plan.id}`)).toEqual([general, ofPlan])
  expect(await found(`planId=${other.id}&communityId=${community.id}`)).toEqual([ofBoth, general])
  expect((await plumbline.delete(`${TEMPLATES}/${general}`)).status).toBe(204)
  expect((await plumbline.delete(`${TEMPLATES}/${general}`)).status).toBe(204)
  expect(await found('')).toEqual([ofBoth, ofPlan])
  expect(await found('includeArchived=true')).toEqual([ofBoth, general, ofPlan])
  expect((await plumbline.patch(`${TEMPLATES}/${general}`, { name: 'Other' })).status).toBe(409)
})

test('a trade that a template uses cannot be renamed', async () => {
  const scope = await made('scopes', { name: 'stucco' })
  await made('task-templates', { name: 'Stucco house', rows: [{ name: 'Stucco applied', scope: 'Stucco' }] })
  const refused = await plumbline.patch(`/api/ext/scopes/${scope.id}`, { name: 'plaster' })
  expect(refused).toMatchObject({
    status: 409,
    body: { reason: 'in_use', detail: expect.stringContaining('task templates: 1') },
  })
})
