import { afterAll, beforeAll, expect, test } from 'vitest'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
const counted = new StatementCounter('syncVendors')
beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
type Caller = { key: string; headers?: Record<string, string> }
const VENDORS = '/api/ext/vendors'

const sync = (rows: object[], caller: Caller, { match = 'accountingId', mode = 'best_effort' } = {}) =>
  plumbline.post(`${VENDORS}/batch`, { mode, match, rows }, caller)
const statuses = ({ body }: ServiceResponse) => body.rows.map(({ status }: Body) => status)
const read = async (id: string, caller: Caller): Promise<Body> => (await plumbline.get(`${VENDORS}/${id}`, caller)).body
const row = (accountingId: string, more: object = {}) => ({
  accountingId,
  companyName: `Vendor ${accountingId}`,
  ...more,
})

test('a vendor sync updates only the fields that were sent and that differ', async () => {
  const caller = await plumbline.newBuilder()
  const rows = [
    row('QB-1', { scopes: ['framing', 'Framing'], email: 'bids@one.example.com', contacts: [{ name: 'Dana' }] }),
    row('QB-2', { status: 'prospective', paymentTerms: { netDays: 10 }, externalId: 'erp-2' }),
  ]
  const first = await sync(rows, caller)
  expect(first).toMatchObject({ status: 200, body: { created: 2, updated: 0, unchanged: 0, failed: 0 } })
  const ids = first.body.rows.map(({ id }: Body) => id)
  expect(await read(ids[0], caller)).toMatchObject({
    ...{ status: 'active', version: 1, scopes: ['framing'], is1099: true, portalStatus: 'not_invited' },
    contacts: [{ name: 'Dana', notify: true }],
  })
  expect(await read(ids[1], caller)).toMatchObject({ status: 'prospective', paymentTerms: { netDays: 10 } })
  expect(statuses(await sync(rows, caller))).toEqual(['unchanged', 'unchanged'])
  const changed = [{ accountingId: 'QB-1', phone: '512-555-0100' }, row('QB-2', { externalId: null }), row('QB-3')]
  expect(statuses(await sync(changed, caller))).toEqual(['updated', 'updated', 'created'])
  expect(await read(ids[0], caller)).toMatchObject({ phone: '512-555-0100', email: 'bids@one.example.com', version: 2 })
  expect(await read(ids[1], caller)).toMatchObject({ externalId: null, status: 'prospective', version: 2 })
  const events = (await listEvents(plumbline, caller.organizationId)) as unknown as Body[]
  expect(events.map(({ type }) => type)).toEqual([
    ...['vendor.created', 'vendor.created', 'vendor.created', 'vendor.updated', 'vendor.updated'],
  ])
  expect(events[3].data).toMatchObject({ object: await read(ids[0], caller), previous: { phone: null } })
})

test('vendor rows can be matched by id, accountingId, or externalId', async () => {
  const caller = await plumbline.newBuilder()
  const { body } = await sync([{ companyName: 'A', externalId: 'erp-1' }], caller, { match: 'externalId' })
  const [{ id }] = body.rows
  expect(statuses(await sync([{ id, accountingId: 'QB-1' }, { companyName: 'B' }], caller, { match: 'id' }))).toEqual([
    ...['updated', 'created'],
  ])
  expect(statuses(await sync([{ accountingId: 'QB-1', externalId: 'erp-9' }], caller))).toEqual(['updated'])
  expect(await read(id, caller)).toMatchObject({ accountingId: 'QB-1', externalId: 'erp-9', companyName: 'A' })
})

test('a vendor sync reports possible duplicates, including duplicates within the same request', async () => {
  const caller = await plumbline.newBuilder()
  const { body: known } = await plumbline.post(VENDORS, { companyName: 'Brazos Framing, LLC' }, caller)
  const rows = [row('QB-1', { companyName: 'BRAZOS FRAMING' }), row('QB-2', { phone: '1-512-555-0101' }), row('QB-3')]
  const { body } = await sync([...rows, row('QB-4', { phone: '(512) 555 0101' })], caller)
  const [first, second, third, fourth] = body.rows
  const reported = { companyName: 'Brazos Framing, LLC', status: 'active', agreesIn: ['companyName'] }
  expect(first.possibleDuplicates).toEqual([{ id: known.id, ...reported }])
  expect(second.possibleDuplicates).toMatchObject([{ id: fourth.id, agreesIn: ['phone'] }])
  expect(fourth.possibleDuplicates).toMatchObject([{ id: second.id, agreesIn: ['phone'] }])
  expect(third.possibleDuplicates).toEqual([])
  const again = await sync(rows, caller)
  expect(again.body.rows[0]).toMatchObject({ status: 'unchanged', possibleDuplicates: [] })
  const writer = await plumbline.newKey(['vendors:write'], caller.organizationId)
  const unseen = await sync([row('QB-5', { companyName: 'Brazos Framing' })], { key: writer })
  expect(unseen.body.rows).toMatchObject([{ status: 'created', possibleDuplicates: [] }])
})

test('each invalid vendor row fails separately, with the same error as createVendor or updateVendor', async () => {
  const caller = await plumbline.newBuilder()
  const created = await sync([row('QB-1', { externalId: 'erp-1' }), row('QB-2'), row('QB-3')], caller)
  const [first, second, third] = created.body.rows.map(({ id }: Body) => id)
  await plumbline.delete(`${VENDORS}/${third}`, caller)
  const answer = await sync(
    [
      row('QB-10', { email: 'nowhere', color: 'red' }),
      { accountingId: 'QB-11' },
      { companyName: 'No key' },
      row('QB-2', { externalId: 'erp-1' }),
      row('QB-3'),
      row('QB-12'),
      row('QB-12'),
      row('QB-13', { communityIds: ['com_nothing'] }),
      row('QB-1', { status: 'prospective' }),
      row('QB-14', { id: second }),
      row('QB-15', { paymentTerms: { discountDays: 40 } }),
      row('QB-16', { status: 'active' }),
    ],
    caller,
  )
  const said = answer.body.rows.map(({ problem }: Body) =>
    problem === null
      ? 'done'
      : [problem.code, ...problem.errors.map(({ pointer }: Body) => pointer), problem.conflictingId ?? []]
          .flat()
          .join(' '),
  )
  expect(said).toEqual([
    'validation_failed /color /email',
    'validation_failed /companyName',
    'validation_failed /accountingId',
    `conflict /externalId ${first}`,
    'conflict',
    'validation_failed /accountingId',
    'validation_failed /accountingId',
    'unknown_reference /communityIds/0',
    'conflict /status',
    'validation_failed /id',
    'validation_failed /paymentTerms/discountDays',
    'done',
  ])
  const whole = await sync([row('QB-20'), row('QB-2', { externalId: 'erp-1' })], caller, { mode: 'all_or_nothing' })
  expect(whole.body).toMatchObject({
    code: 'conflict',
    errors: [{ pointer: '/rows/1/externalId' }],
    conflictingId: first,
  })
  expect((await plumbline.get(`${VENDORS}?accountingId=QB-20,QB-16`, caller)).body.data).toHaveLength(1)
})

test('a sync updates a tax ID even if only its hidden digits differ', async () => {
  const caller = await plumbline.newBuilder()
  const { body } = await sync([row('QB-1', { taxId: '12-3454821' }), row('QB-2')], caller)
  const [{ id }, other] = body.rows
  expect(await read(id, caller)).toMatchObject({ taxIdLast4: '4821', version: 1 })
  expect(statuses(await sync([row('QB-1', { taxId: '12-3454821' })], caller))).toEqual(['unchanged'])
  const changed = [row('QB-1', { taxId: '99-9994821' }), row('QB-2', { taxId: '98-7654321' })]
  expect(statuses(await sync(changed, caller))).toEqual(['updated', 'updated'])
  expect(await read(id, caller)).toMatchObject({ taxIdLast4: '4821', version: 2 })
  expect(await read(other.id, caller)).toMatchObject({ taxIdLast4: '4321', version: 2 })
  // updateVendor has already set the same tax ID.
  expect((await plumbline.patch(`${VENDORS}/${id}`, { taxId: '99-9994821' }, caller)).body.version).toBe(2)
  expect(statuses(await sync([row('QB-1', { taxId: null })], caller))).toEqual(['updated'])
  expect(await read(id, caller)).toMatchObject({ taxIdLast4: null })
})

test('syncing 500 vendors needs no more statements than one vendor, except for their events', async () => {
  const caller = await plumbline.newBuilder()
  const statementsOf = async (rows: object[]) => {
    counted.statements = 0
    const { body } = await sync(rows, caller)
    expect(body).toMatchObject({ failed: 0, unchanged: 0 })
    return counted.statements
  }
  const many = Array.from({ length: 500 }, (_, i) => row(`QB-${i}`, { scopes: ['framing'] }))
  const one = [row('QB-one', { scopes: ['framing'] })]
  // This request creates the trade.
  await sync([row('QB-first', { scopes: ['framing'] })], caller)
  const more = { phone: '512-555-0100' }
  expect([await statementsOf(one), await statementsOf(many)]).toEqual([8, 13])
  expect(await statementsOf(many.map((each) => ({ ...each, ...more })))).toBe(14)
  const tooMany = await sync([...many, ...one], caller)
  expect(tooMany).toMatchObject({ status: 422, body: { errors: [{ pointer: '/rows', code: 'maxItems' }] } })
})

test('a vendor sync follows the same rules as other syncs for repeats, dry runs, propose-only keys, permissions, and other builders', async () => {
  const caller = await plumbline.newBuilder()
  const rows = [row('QB-1')]
  const once = { ...caller, headers: { 'idempotency-key': 'first' } }
  const [created, again] = [await sync(rows, once), await sync(rows, once)]
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(created.body)
  const input = { match: 'accountingId', rows: [row('QB-2')] }
  const tried = await plumbline.post('/api/ext/execute', { skill: 'syncVendors', input, dryRun: true }, caller)
  expect(tried.body).toMatchObject({ result: { created: 1 }, events: [{ type: 'vendor.created' }] })
  expect((await plumbline.get(VENDORS, caller)).body.data).toHaveLength(1)
  const key = await plumbline.newKey(['vendors:read'])
  expect((await sync(rows, { key })).body).toMatchObject({ code: 'permission_denied', permission: 'vendors:write' })
  const other = await plumbline.newBuilder()
  expect(statuses(await sync([{ ...created.body.rows[0], companyName: 'X' }], other, { match: 'id' }))).toEqual([
    'failed',
  ])
  expect(statuses(await sync(rows, other))).toEqual(['created'])
})

test('if the same vendors are synced twice concurrently, the later request reports all rows as unchanged', async () => {
  const caller = await plumbline.newBuilder()
  const rows = Array.from({ length: 40 }, (_, i) => row(`QB-${i}`))
  const both = await Promise.all([sync(rows, caller), sync(rows.toReversed(), caller)])
  expect(both.map(({ body }) => [body.created, body.unchanged]).toSorted()).toEqual([
    [0, 40],
    [40, 0],
  ])
})
