import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let stud: string
let granite: string
let quartz: string
let plan: string
let small: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  stud = await made('parts', { sku: 'LUM-2X4', name: 'Stud', unit: 'EA', scope: 'framing' })
  granite = await made('parts', { sku: 'TOP-GRN', name: 'Granite', unit: 'SF', scope: 'tops' })
  quartz = await made('parts', { sku: 'TOP-QTZ', name: 'Quartz', unit: 'SF', scope: 'tops' })
  plan = await made('plans', {
    ...{ code: 'P2100', name: 'The Possumhaw', squareFeet: 2100, figures: [{ name: 'counterSquareFeet', value: 72 }] },
    elevations: [{ code: 'A' }, { code: 'B', figures: [{ name: 'counterSquareFeet', value: 80 }] }],
  })
  small = await made('plans', {
    ...{ code: 'P1650', name: 'The Persimmon', figures: [{ name: 'counterSquareFeet', value: 58 }] },
  })
  await plumbline.put(`/api/ext/plans/${plan}/takeoff`, {
    lines: [
      { lineId: 'tops', partId: granite, formula: 'counterSquareFeet' },
      { lineId: 'studs', partId: stud, quantity: 100 },
      { lineId: 'studs', partId: stud, elevation: 'B', quantity: 120 },
    ],
  })
})
afterAll(() => plumbline.stop())

async function made(kind: string, fields: object): Promise<string> {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id
}

let codes = 0
const newOption = (fields: object = {}) =>
  made('options', { code: `O-${++codes}`, name: 'Quartz tops', optionType: 'upgrade', price: 2580, ...fields })
const replace = (optionId: string, lines: object[]) => plumbline.put(`/api/ext/options/${optionId}/takeoff`, { lines })
const resolved = (query: string) => plumbline.get(`/api/ext/plans/${plan}/takeoff/resolved?${query}`)
const figures = ({ body }: Awaited<ReturnType<typeof resolved>>) =>
  body.lines.map(({ lineId, source, replaces, quantity }: Record<string, unknown>) => [
    ...[lineId, source, replaces, quantity],
  ])

test('replacing the takeoff of an option replaces all its lines', async () => {
  const option = await newOption({ code: 'KI-QTZ' })
  expect((await plumbline.get(`/api/ext/options/${option}/takeoff`)).body).toEqual({
    optionId: option,
    version: 1,
    lines: [],
  })
  const replaced = await replace(option, [
    { partId: quartz, formula: 'counterSquareFeet', wastePercent: 8, taskName: 'Countertops set' },
    { partId: granite, planId: plan, elevation: 'B', quantity: -72 },
  ])
  expect(replaced).toMatchObject({
    status: 200,
    body: {
      lines: [
        { lineId: 'KI-QTZ-1', planId: null },
        { lineId: 'KI-QTZ-2', planId: plan, elevation: 'B' },
      ],
    },
  })
  expect((await plumbline.get(`/api/ext/options/${option}/takeoff`)).body).toEqual(replaced.body)
  expect((await replace(option, [])).body.lines).toEqual([])
})

test('a replacement of an option takeoff that is based on an outdated version is rejected', async () => {
  const path = `/api/ext/options/${await newOption()}/takeoff`
  const opened = (await plumbline.get(path)).headers.get('etag') ?? ''
  const save = (quantity: number, etag: string) =>
    plumbline.put(path, { lines: [{ partId: stud, quantity }] }, { headers: { 'if-match': etag } })
  expect(await save(1, opened)).toMatchObject({ status: 200, body: { version: 2 } })
  const second = await save(2, opened)
  expect(second).toMatchObject({ status: 412, body: { code: 'precondition_failed', currentVersion: 2 } })
  expect((await plumbline.get(path)).body.lines).toMatchObject([{ quantity: 1 }])
  expect(await save(2, second.headers.get('etag') ?? '')).toMatchObject({ status: 200, body: { version: 3 } })
})

test('the lines of a selected option replace takeoff lines with the same name', async () => {
  const option = await newOption()
  await replace(option, [
    { lineId: 'tops', partId: quartz, formula: 'counterSquareFeet', wastePercent: 10 },
    { lineId: 'studs', partId: stud, quantity: 110 },
    { lineId: 'more', partId: stud, quantity: 2.2 },
    { lineId: 'more', partId: stud, planId: plan, quantity: 4 },
    { lineId: 'more', partId: stud, planId: plan, elevation: 'B', quantity: 6 },
    { lineId: 'small', partId: stud, planId: small, quantity: 8 },
  ])
  expect(figures(await resolved('elevation=A'))).toEqual([
    ['tops', 'plan', null, 72],
    ['studs', 'plan', null, 100],
  ])
  expect(figures(await resolved(`elevation=A&optionIds=${option}`))).toEqual([
    ['tops', 'option', 'plan', 79.2],
    ['studs', 'option', 'plan', 110],
    ['more', 'option', null, 4],
  ])
  const b = await resolved(`elevation=B&optionIds=${option}`)
  expect(figures(b)).toEqual([
    ['tops', 'option', 'plan', 88],
    ['studs', 'option', 'elevation', 110],
    ['more', 'option', null, 6],
  ])
  expect(b.body.lines[0]).toMatchObject({ optionId: option, partId: quartz, sku: 'TOP-QTZ', scope: 'tops' })
})

test('an option overrides the lines of an option that it requires, regardless of the order in the request', async () => {
  const base = await newOption()
  const top = await newOption({ requiresOptionIds: [base] })
  await replace(base, [
    { lineId: 'tops', partId: quartz, quantity: 10 },
    { lineId: 'sill', partId: stud, quantity: 1 },
  ])
  await replace(top, [
    { lineId: 'tops', partId: quartz, quantity: 20 },
    { lineId: 'sill', partId: stud, quantity: 2 },
  ])
  for (const ids of [`${base},${top}`, `${top},${base}`])
    expect(figures(await resolved(`elevation=A&optionIds=${ids}`))).toEqual([
      ['studs', 'plan', null, 100],
      ['tops', 'option', 'option', 20],
      ['sill', 'option', 'option', 2],
    ])
})

test('two options that replace the same takeoff line cannot be selected together', async () => {
  const [one, other] = [await newOption({ code: 'TOP-1' }), await newOption({ code: 'TOP-2' })]
  for (const option of [one, other]) await replace(option, [{ lineId: 'tops', partId: quartz, quantity: 10 }])
  expect(await resolved(`elevation=A&optionIds=${one},${other}`)).toMatchObject({
    status: 422,
    body: {
      errors: [
        { pointer: 'optionIds', message: 'must not contain both TOP-1 and TOP-2, which replace the same line (tops)' },
      ],
    },
  })
  for (const option of [one, other]) await replace(option, [{ lineId: 'extra', partId: quartz, quantity: 10 }])
  const both = await resolved(`elevation=A&optionIds=${one},${other}`)
  expect(figures(both).slice(2)).toEqual([
    ['extra', 'option', null, 10],
    ['extra', 'option', null, 10],
  ])
})

test('all errors in the lines of an option takeoff are reported in one response, each at its field', async () => {
  const option = await newOption({ planIds: [plan] })
  const refused = await replace(option, [
    { partId: stud },
    { partId: stud, quantity: 1, planId: small },
    { partId: stud, quantity: 1, elevation: 'A' },
    { partId: stud, quantity: 1, planId: plan, elevation: 'Z' },
    { partId: stud, formula: 'roofSquares' },
    { partId: stud, formula: '2 +' },
    { lineId: 'a', partId: stud, quantity: 1 },
    { lineId: 'a', partId: stud, quantity: 1 },
  ])
  expect(refused.status).toBe(422)
  expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    ...['/lines/0', '/lines/1/planId', '/lines/2/elevation', '/lines/3/elevation', '/lines/4/formula'],
    ...['/lines/5/formula', '/lines/7/lineId'],
  ])
  expect(refused.body.errors[4].message).toBe('uses the unknown figure roofSquares (on P2100 A)')
  const unknown = await replace(option, [{ partId: 'prt_none', quantity: 1, costCodeId: 'cc_none' }])
  expect(unknown).toMatchObject({ status: 422, body: { code: 'unknown_reference' } })
})

test('if a line has no plan, its formula must be valid for every plan of the option', async () => {
  const everywhere = await newOption()
  const line = { partId: stud, formula: 'squareFeet / 10' }
  const refused = await replace(everywhere, [line])
  expect(refused.body.errors).toMatchObject([{ message: expect.stringContaining('(on P1650)') }])
  expect((await replace(everywhere, [{ ...line, planId: plan }])).status).toBe(200)
  expect((await replace(await newOption({ planIds: [plan] }), [line])).status).toBe(200)
})

test('a takeoff cannot be resolved with options that are unknown or not available for the plan', async () => {
  const elsewhere = await newOption({ code: 'SMALL', planIds: [small] })
  expect(await resolved(`elevation=A&optionIds=${elsewhere}`)).toMatchObject({
    ...{
      status: 422,
      body: { errors: [{ pointer: 'optionIds', message: 'must be available for P2100; SMALL is not' }] },
    },
  })
  expect(await resolved('elevation=A&optionIds=opt_none')).toMatchObject({
    ...{ status: 422, body: { code: 'unknown_reference' } },
  })
  expect((await plumbline.get('/api/ext/options/opt_none/takeoff')).status).toBe(404)
  await plumbline.delete(`/api/ext/options/${elsewhere}`)
  expect(await replace(elsewhere, [])).toMatchObject({ status: 409, body: { reason: 'archived' } })
  const { key } = await plumbline.newBuilder()
  const other = await newOption()
  const answer = await plumbline.put(`/api/ext/options/${other}/takeoff`, { lines: [] }, { key })
  expect(answer.status).toBe(404)
})
