import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let communityId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge', status: 'active' })).body.id
})
afterAll(() => plumbline.stop())

const PLANS = '/api/ext/plans'
const HOMES = '/api/ext/homes'
let codes = 0

const possumhaw = {
  name: 'The Possumhaw',
  squareFeet: 2100,
  bedrooms: 4,
  bathrooms: 2.5,
  basePrice: 364990,
  figures: [{ name: 'roofSquares', value: 37 }],
  elevations: [
    { code: 'A', name: 'Hill country' },
    { code: 'B', price: 6500, figures: [{ name: 'roofSquares', value: 38 }] },
  ],
}

async function newPlan(fields: object = {}) {
  const { status, body } = await plumbline.post(PLANS, { ...possumhaw, code: `P${++codes}`, ...fields })
  expect(status).toBe(201)
  return body
}

const move = (id: string, status: string) => plumbline.post(`${PLANS}/${id}/status`, { status })

async function releasedPlan(fields: object = {}) {
  const { id } = await newPlan(fields)
  const { status, body } = await move(id, 'released')
  expect(status).toBe(200)
  return body
}

const build = (fields: object) => plumbline.post(HOMES, { name: 'Lot 14', communityId, ...fields })

test('a new plan is a draft with revision 1', async () => {
  const created = await plumbline.post(PLANS, { ...possumhaw, code: 'P2100' })
  expect(created).toMatchObject({
    status: 201,
    body: {
      ...{ code: 'P2100', status: 'draft', revision: 1, releasedRevision: null, garageSpaces: null, communityIds: [] },
      elevations: [
        { code: 'A', name: 'Hill country', price: 0, figures: [] },
        { code: 'B', name: null, price: 6500, figures: [{ name: 'roofSquares', value: 38 }] },
      ],
    },
  })
  expect((await plumbline.get(created.headers.get('location') ?? '')).body).toEqual(created.body)
})

test('duplicate names in a plan, and figures named like a plan field, are reported at their fields', async () => {
  const figure = { name: 'roofSquares', value: 1 }
  const refused = await plumbline.post(PLANS, {
    ...{ code: 'TWICE', name: 'Twice', figures: [figure, figure, { name: 'squareFeet', value: 1 }] },
    elevations: [{ code: 'A' }, { code: 'A', figures: [figure, figure] }],
  })
  expect(refused.status).toBe(422)
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    ...['/figures/1/name', '/figures/2/name', '/elevations/1/code', '/elevations/1/figures/1/name'],
  ])
})

test('changing a released plan starts a new revision, while existing homes keep their revision', async () => {
  const plan = await releasedPlan()
  const { body: home } = await build({ planId: plan.id, elevation: 'B', swing: 'left' })
  expect(home).toMatchObject({ planId: plan.id, planRevision: 1, elevation: 'B', swing: 'left' })

  const renamed = await plumbline.patch(`${PLANS}/${plan.id}`, { name: 'The Yaupon', basePrice: 364990 })
  expect(renamed.body).toMatchObject({ name: 'The Yaupon', status: 'released', revision: 1 })
  const edited = await plumbline.patch(`${PLANS}/${plan.id}`, { basePrice: 369990, elevations: [{ code: 'C' }] })
  expect(edited.body).toMatchObject({ status: 'draft', revision: 2, releasedRevision: 1, basePrice: 369990 })
  // As long as the draft is not released, homes are built from the previous revision.
  expect((await build({ planId: plan.id, elevation: 'C' })).status).toBe(422)
  expect((await build({ planId: plan.id, elevation: 'A' })).body.planRevision).toBe(1)
  expect((await move(plan.id, 'released')).body).toMatchObject({ status: 'released', releasedRevision: 2 })
  expect((await build({ planId: plan.id, elevation: 'C' })).body.planRevision).toBe(2)

  const revisions = await plumbline.get(`${PLANS}/${plan.id}/revisions`)
  expect(revisions.body.data).toMatchObject([
    { revision: 2, basePrice: 369990, elevations: [{ code: 'C' }] },
    { revision: 1, basePrice: 364990, elevations: [{ code: 'A' }, { code: 'B' }] },
  ])
  expect((await plumbline.get(`${PLANS}/${plan.id}/revisions?revision=1`)).body.data).toHaveLength(1)
  expect((await plumbline.get(`${HOMES}/${home.id}`)).body.planRevision).toBe(1)
})

test("a home's plan must be released, must be available in its community, and must have its elevation", async () => {
  const draft = await newPlan()
  const elsewhere = await plumbline.post('/api/ext/communities', { name: 'Cedar Hollow' })
  const distant = await releasedPlan({ communityIds: [elsewhere.body.id] })
  const released = await releasedPlan()
  const retired = await releasedPlan()
  await move(retired.id, 'retired')
  const archived = await releasedPlan()
  await plumbline.delete(`${PLANS}/${archived.id}`)
  for (const [plan, reason] of [
    [draft, 'has not been released'],
    [distant, 'is not available in Juniper Ridge'],
    [retired, 'is retired'],
    [archived, 'is archived'],
  ] as const) {
    expect((await build({ planId: plan.id, elevation: 'A' })).body).toMatchObject({
      code: 'conflict',
      detail: `Cannot use ${plan.code}: the plan ${reason}.`,
    })
  }
  for (const fields of [{ planId: released.id }, { planId: released.id, elevation: 'Z' }, { elevation: 'A' }]) {
    expect(await build(fields)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/elevation' }] } })
  }
  expect(await build({ planId: 'pln_nobody' })).toMatchObject({ status: 422, body: { code: 'unknown_reference' } })
  expect(
    (await plumbline.get(`${PLANS}?communityId=${communityId}&q=possumhaw&limit=200`)).body.data,
  ).not.toContainEqual(expect.objectContaining({ id: distant.id }))
})

test('the plan of a home can change until its budget is locked', async () => {
  const [one, other] = [await releasedPlan(), await releasedPlan({ elevations: [] })]
  const { body: home } = await build({ planId: one.id, elevation: 'A' })
  const change = (fields: object) => plumbline.patch(`${HOMES}/${home.id}`, fields)
  expect((await change({ elevation: 'B' })).body).toMatchObject({ elevation: 'B', planRevision: 1 })
  expect((await change({ elevation: 'Z' })).status).toBe(422)
  expect((await change({ planId: other.id })).body).toMatchObject({ planId: other.id, elevation: null })
  expect((await change({ planId: null })).body).toMatchObject({ planId: null, planRevision: null })
  await change({ planId: one.id, elevation: 'A' })
  await plumbline.post(`${HOMES}/${home.id}/budget/lines`, { scope: 'framing', amount: 41000 })
  await plumbline.post(`${HOMES}/${home.id}/budget/lock`)
  expect(await change({ elevation: 'B' })).toMatchObject({ status: 409, body: { code: 'conflict' } })
  expect((await change({ swing: 'right', elevation: 'A' })).body).toMatchObject({ swing: 'right', elevation: 'A' })
  expect((await plumbline.get(`${HOMES}?planId=${one.id}`)).body.data).toMatchObject([{ id: home.id }])
})

test('a plan changes status from draft to released to retired', async () => {
  const { id } = await newPlan()
  expect((await move(id, 'retired')).body).toMatchObject({ code: 'invalid_transition', allowed: ['released'] })
  await move(id, 'released')
  await move(id, 'retired')
  expect((await plumbline.patch(`${PLANS}/${id}`, { name: 'Late' })).body.reason).toBe('wrong_status')
})

test('a plan can be archived only if no unfinished home uses it', async () => {
  const { id } = await newPlan()
  await move(id, 'released')
  const { body: home } = await build({ planId: id, elevation: 'A' })
  expect((await plumbline.delete(`${PLANS}/${id}`)).body).toMatchObject({
    reason: 'in_use',
    detail: expect.stringMatching(/^Cannot archive P.*: 1 unfinished home uses this plan\. Retire the plan instead\.$/),
  })
  await plumbline.post(`${HOMES}/${home.id}/status`, { status: 'cancelled' })
  expect((await plumbline.delete(`${PLANS}/${id}`)).status).toBe(204)
})

test('an archived plan cannot be released', async () => {
  const { id } = await newPlan()
  await move(id, 'released')
  await move(id, 'retired')
  expect((await plumbline.delete(`${PLANS}/${id}`)).status).toBe(204)
  expect(await move(id, 'released')).toMatchObject({ status: 409 })
})

test("a builder cannot see, change, or use another builder's plans", async () => {
  const plan = await releasedPlan()
  const { key } = await plumbline.newBuilder()
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Theirs' }, { key })
  expect((await plumbline.get(`${PLANS}/${plan.id}`, { key })).status).toBe(404)
  expect((await plumbline.get(`${PLANS}/${plan.id}/revisions`, { key })).status).toBe(404)
  expect((await plumbline.patch(`${PLANS}/${plan.id}`, { name: 'Mine' }, { key })).status).toBe(404)
  const home = { name: 'Lot 1', communityId: community.id, planId: plan.id, elevation: 'A' }
  expect(await plumbline.post(HOMES, home, { key })).toMatchObject({ status: 422, body: { code: 'unknown_reference' } })
  const theirs = { code: 'X', name: 'X', communityIds: [communityId] }
  expect((await plumbline.post(PLANS, theirs, { key })).status).toBe(422)
})
