import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { findTakeoffLineErrors } from './takeoff.ts'

let plumbline: TestPlumbline
let stud: string
let shingle: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const code = { code: '06-110', name: 'Framing lumber', category: 'material' }
  const { id: costCodeId } = (await plumbline.post('/api/ext/cost-codes', code)).body
  stud = await newPart({ sku: 'LUM-2X4', name: 'Stud', unit: 'EA', scope: 'framing', costCodeId })
  shingle = await newPart({ sku: 'RF-SHNG', name: 'Shingles', unit: 'SQ' })
})
afterAll(() => plumbline.stop())

const newPart = async (fields: object) => (await plumbline.post('/api/ext/parts', fields)).body.id as string
let codes = 0

async function newPlan(fields: object = {}): Promise<string> {
  const { status, body } = await plumbline.post('/api/ext/plans', {
    ...{ code: `P${++codes}`, name: 'The Possumhaw', squareFeet: 2100 },
    figures: [{ name: 'roofSquares', value: 37 }],
    elevations: [{ code: 'A' }, { code: 'B', figures: [{ name: 'roofSquares', value: 38.5 }] }],
    ...fields,
  })
  expect(status).toBe(201)
  return body.id
}

const replace = (planId: string, lines: object[]) => plumbline.put(`/api/ext/plans/${planId}/takeoff`, { lines })
const takeoff = async (planId: string, query = '') =>
  (await plumbline.get(`/api/ext/plans/${planId}/takeoff${query}`)).body
const resolved = async (planId: string, query: string) =>
  (await plumbline.get(`/api/ext/plans/${planId}/takeoff/resolved?${query}`)).body
const pointers = ({ status, body }: Awaited<ReturnType<typeof replace>>) => {
  expect(status).toBe(422)
  return body.errors.map(({ pointer }: { pointer: string }) => pointer)
}

test('a replaced takeoff has exactly the lines of the request, in the same order', async () => {
  const planId = await newPlan()
  const lines = [
    { partId: stud, formula: 'squareFeet / 4', wastePercent: 7.5, taskName: 'Walls framed' },
    { partId: shingle, quantity: 2.5, elevation: 'B', lineId: '1' },
    { partId: stud, quantity: 12 },
  ]
  const replaced = await replace(planId, lines)
  expect(replaced.status).toBe(200)
  // Another line has the lineId "1".
  expect(replaced.body.lines.map(({ lineId }: { lineId: string }) => lineId)).toEqual(['1a', '1', '3'])
  expect(replaced.body.lines[1]).toMatchObject({ elevation: 'B', formula: null, wastePercent: 0, costCodeId: null })
  expect(await takeoff(planId)).toEqual(replaced.body)
  await replace(planId, [{ partId: stud, quantity: 1 }])
  expect((await takeoff(planId)).lines).toHaveLength(1)
  await replace(planId, [])
  expect(await takeoff(planId)).toEqual({ planId, revision: 1, version: 4, lines: [] })
})

test('takeoff quantities of a home include waste and are rounded to the unit of sale', async () => {
  const planId = await newPlan()
  await replace(planId, [
    { lineId: 'studs', partId: stud, formula: 'squareFeet / 9', wastePercent: 10, taskName: 'Walls framed' },
    { lineId: 'roof', partId: shingle, formula: 'roofSquares', wastePercent: 10 },
    { lineId: 'gable', partId: stud, quantity: 4 },
    { lineId: 'gable', partId: stud, quantity: 6, elevation: 'B' },
    { lineId: 'porch', partId: shingle, quantity: 1.125, elevation: 'B' },
  ])
  const a = await resolved(planId, 'elevation=A')
  expect(a.lines).toMatchObject([
    { lineId: 'studs', source: 'plan', net: 233.3333, quantity: 257, sku: 'LUM-2X4', unit: 'EA', scope: 'framing' },
    { lineId: 'roof', source: 'plan', net: 37, quantity: 40.7, costCodeId: null },
    { lineId: 'gable', source: 'plan', replaces: null, quantity: 4 },
  ])
  expect(a.lines[0].costCodeId).toMatch(/^cc_/)
  expect((await resolved(planId, 'elevation=B')).lines).toMatchObject([
    { lineId: 'studs', quantity: 257 },
    { lineId: 'roof', net: 38.5, quantity: 42.35 },
    { lineId: 'gable', source: 'elevation', replaces: 'plan', quantity: 6 },
    { lineId: 'porch', source: 'elevation', replaces: null, quantity: 1.13 },
  ])
  // The expected lines apply to all elevations.
  expect((await resolved(planId, '')).lines).toMatchObject([
    { lineId: 'studs' },
    { lineId: 'roof', net: 37 },
    { lineId: 'gable', quantity: 4 },
  ])
  const problem = { status: 422, body: { errors: [{ pointer: 'elevation' }] } }
  expect(await plumbline.get(`/api/ext/plans/${planId}/takeoff/resolved?elevation=Z`)).toMatchObject(problem)
})

test('a formula with a figure that only elevations have can be resolved only for a specific elevation', async () => {
  const brick = (value: number) => ({ figures: [{ name: 'brickSquareFeet', value }] })
  const planId = await newPlan({
    elevations: [
      { code: 'A', ...brick(980) },
      { code: 'B', ...brick(760) },
    ],
  })
  await replace(planId, [{ partId: stud, formula: 'brickSquareFeet' }])
  expect((await resolved(planId, 'elevation=B')).lines).toMatchObject([{ quantity: 760 }])
  const refused = await plumbline.get(`/api/ext/plans/${planId}/takeoff/resolved`)
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: 'elevation' }] } })
  expect(refused.body.errors[0].message).toContain('brickSquareFeet')
})

test('an invalid takeoff line prevents the replacement of all lines', async () => {
  const planId = await newPlan()
  await replace(planId, [{ partId: stud, quantity: 1 }])
  const refused = await replace(planId, [
    { lineId: 'x', partId: stud, quantity: 1 },
    { lineId: 'x', partId: stud, quantity: 1, formula: '1' },
    { partId: stud },
    { partId: stud, elevation: 'Z', quantity: 1 },
    { partId: stud, formula: 'roofSquares +' },
    { partId: stud, formula: 'wallFeet' },
    { partId: stud, formula: 'squareFeet * squareFeet * squareFeet * squareFeet' },
  ])
  expect(pointers(refused)).toEqual([
    ...['/lines/1/lineId', '/lines/1', '/lines/2', '/lines/3/elevation'],
    ...['/lines/4/formula', '/lines/5/formula', '/lines/6/formula'],
  ])
  const unknown = [
    { partId: 'prt_nobody', quantity: 1 },
    { partId: stud, quantity: 1, costCodeId: 'cc_nobody' },
  ]
  expect(pointers(await replace(planId, unknown))).toEqual(['/lines/0/partId', '/lines/1/costCodeId'])
  expect((await takeoff(planId)).lines).toHaveLength(1)
})

test('changing the takeoff of a released plan starts the next revision', async () => {
  const planId = await newPlan()
  await replace(planId, [{ partId: stud, quantity: 1 }])
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })
  // Editing the plan copies the takeoff to the next revision.
  await plumbline.patch(`/api/ext/plans/${planId}`, { bedrooms: 4 })
  expect(await takeoff(planId)).toMatchObject({ revision: 2, lines: [{ quantity: 1 }] })
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })
  expect((await replace(planId, [{ partId: stud, quantity: 3 }])).body.revision).toBe(3)
  expect((await plumbline.get(`/api/ext/plans/${planId}`)).body).toMatchObject({ status: 'draft', releasedRevision: 2 })
  expect((await takeoff(planId, '?revision=1')).lines).toMatchObject([{ quantity: 1 }])
  expect((await resolved(planId, 'elevation=A&revision=2')).lines).toMatchObject([{ quantity: 1 }])
  expect((await plumbline.get(`/api/ext/plans/${planId}/takeoff?revision=4`)).status).toBe(404)
})

test('a replacement of a takeoff that is based on an outdated version is rejected', async () => {
  const planId = await newPlan()
  const path = `/api/ext/plans/${planId}/takeoff`
  const opened = (await plumbline.get(path)).headers.get('etag') ?? ''
  const save = (quantity: number, etag: string) =>
    plumbline.put(path, { lines: [{ partId: stud, quantity }] }, { headers: { 'if-match': etag } })
  const first = await save(1, opened)
  expect([first.status, first.headers.get('etag')]).toEqual([200, '"2"'])
  const second = await save(2, opened)
  expect(second).toMatchObject({ status: 412, body: { code: 'precondition_failed', currentVersion: 2 } })
  expect((await takeoff(planId)).lines).toMatchObject([{ quantity: 1 }])
  expect((await save(2, second.headers.get('etag') ?? '')).status).toBe(200)
  expect((await takeoff(planId)).lines).toMatchObject([{ quantity: 2 }])
})

test('of two users who save the same takeoff at the same time, only one succeeds', async () => {
  const planId = await newPlan()
  const saved = await Promise.all(
    [1, 2, 3, 4].map((quantity) =>
      plumbline.put(
        `/api/ext/plans/${planId}/takeoff`,
        { lines: [{ partId: stud, quantity }] },
        { headers: { 'if-match': '"1"' } },
      ),
    ),
  )
  expect(saved.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  const winner = saved.find(({ status }) => status === 200)
  expect(await takeoff(planId)).toEqual(winner?.body)
})

test('changing a takeoff or its plan increases the version of both', async () => {
  const planId = await newPlan()
  const path = `/api/ext/plans/${planId}`
  const versions = async () => [(await plumbline.get(path)).body.version, (await takeoff(planId)).version]
  expect(await versions()).toEqual([1, 1])
  expect((await replace(planId, [{ partId: stud, quantity: 1 }])).body.version).toBe(2)
  expect(await versions()).toEqual([2, 2])
  await plumbline.patch(path, { squareFeet: 2200 })
  expect(await versions()).toEqual([3, 3])
  await plumbline.post(`${path}/status`, { status: 'released' })
  // The replacement creates a draft of the next revision.
  expect((await replace(planId, [])).body).toMatchObject({ revision: 2, version: 5 })
  expect(await versions()).toEqual([5, 5])
})

test('an elevation with takeoff lines cannot be removed from its plan', async () => {
  const planId = await newPlan()
  const { code } = (await plumbline.get(`/api/ext/plans/${planId}`)).body
  const setElevations = (...codes: string[]) =>
    plumbline.patch(`/api/ext/plans/${planId}`, { elevations: codes.map((each) => ({ code: each })) })
  const ofA = { partId: stud, quantity: 1, elevation: 'A' }
  const ofB = { partId: stud, quantity: 2, elevation: 'B' }
  await replace(planId, [ofA, ofB, ofB])
  expect(await setElevations('A')).toMatchObject({
    status: 409,
    body: {
      ...{ code: 'conflict', reason: 'in_use' },
      detail: `Cannot remove elevation B from ${code}: the takeoff has 2 lines for it. Delete the lines or change their elevation first.`,
    },
  })
  // A new code removes the old one.
  expect((await setElevations('A', 'C')).body.reason).toBe('in_use')
  expect((await setElevations()).body.detail).toBe(
    `Cannot remove elevations A and B from ${code}: the takeoff has 3 lines for them. Delete the lines or change their elevation first.`,
  )
  expect((await setElevations('B', 'A', 'C')).status).toBe(200)
  await replace(planId, [ofA, { ...ofB, elevation: 'C' }])
  expect((await setElevations('A', 'C')).status).toBe(200)
})

test('only the newest revision of a takeoff prevents the removal of an elevation', async () => {
  const planId = await newPlan()
  await replace(planId, [{ partId: stud, quantity: 2, elevation: 'B' }])
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })
  const removeB = () => plumbline.patch(`/api/ext/plans/${planId}`, { elevations: [{ code: 'A' }] })
  expect(await removeB()).toMatchObject({ status: 409, body: { reason: 'in_use' } })
  expect((await plumbline.get(`/api/ext/plans/${planId}`)).body).toMatchObject({ status: 'released', revision: 1 })
  await replace(planId, [{ partId: stud, quantity: 2 }])
  expect((await removeB()).body).toMatchObject({ status: 'draft', revision: 2, elevations: [{ code: 'A' }] })
  expect((await takeoff(planId, '?revision=1')).lines).toMatchObject([{ elevation: 'B' }])
})

test('the takeoff of a retired plan cannot be replaced', async () => {
  const planId = await newPlan()
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'released' })
  await plumbline.post(`/api/ext/plans/${planId}/status`, { status: 'retired' })
  expect(await replace(planId, [])).toMatchObject({ status: 409, body: { code: 'conflict' } })
})

test('a builder cannot see the takeoffs of another builder', async () => {
  const planId = await newPlan()
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`/api/ext/plans/${planId}/takeoff`, { key })).status).toBe(404)
  expect((await plumbline.get(`/api/ext/plans/${planId}/takeoff/resolved`, { key })).status).toBe(404)
})

test('a takeoff cannot contain a part of another builder', async () => {
  const { key } = await plumbline.newBuilder()
  const { body: theirs } = await plumbline.post('/api/ext/plans', { code: 'X', name: 'X' }, { key })
  const foreign = { lines: [{ partId: stud, quantity: 1 }] }
  const refused = await plumbline.put(`/api/ext/plans/${theirs.id}/takeoff`, foreign, { key })
  expect(pointers(refused)).toEqual(['/lines/0/partId'])
})

test('a request can replace at most 5,000 takeoff lines', async () => {
  const planId = await newPlan()
  const line = { partId: stud, formula: 'max(squareFeet, roofSquares) / 3', wastePercent: 5, taskName: 'Walls framed' }
  const lines = Array.from({ length: 5000 }, () => line)
  const replaced = await replace(planId, lines)
  expect(replaced.body.lines).toHaveLength(5000)
  expect((await replace(planId, [...lines, line])).status).toBe(422)
  expect((await resolved(planId, 'elevation=A')).lines).toHaveLength(5000)
})

const ELEVATIONS = Array.from({ length: 26 }, (_, i) => ({ code: `E${i}`, figures: [] }))
const LONG = Array(100).fill('squareFeet').join('+').slice(0, 450)
/** Returns lines with distinct formulas of about 450 characters each. */
const longLines = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ partId: stud, formula: `${LONG.slice(0, LONG.lastIndexOf('+'))}+${i}` }))

test('a takeoff is rejected if it has too many long formulas for its number of elevations', async () => {
  const planId = await newPlan({ elevations: ELEVATIONS })
  const { status, body } = await replace(planId, longLines(400))
  expect([status, body.code]).toEqual([422, 'too_much_work'])
  expect((await replace(planId, longLines(50))).status).toBe(200)
})

test('the service handles other requests while it checks the formulas of a takeoff', async () => {
  const built = {
    ...{ squareFeet: 2100, bedrooms: 3, bathrooms: 2, garageSpaces: 2, stories: 1, figures: [] },
    elevations: ELEVATIONS.map(({ code }) => ({ code, name: null, price: 0, figures: [] })),
  }
  const lines = longLines(100).map((line, i) => ({
    ...{ lineId: `${i}`, elevation: null, quantity: null, wastePercent: 0, costCodeId: null, taskName: null },
    ...line,
  }))
  let turns = 0
  let isDone = false
  const turn = () => {
    turns++
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  const errors = await findTakeoffLineErrors(lines, built)
  isDone = true
  expect(errors).toEqual([])
  expect(turns).toBeGreaterThan(50)
})
