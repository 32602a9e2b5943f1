import { afterAll, beforeAll, expect, test } from 'vitest'
import { StatementCounter } from '../../../../test/support/count-statements.ts'
import { listEvents } from '../../../../test/support/recorded-events.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
const counted = new StatementCounter('syncHomes')
beforeAll(async () => {
  plumbline = await startTestPlumbline({}, { handlers: counted.handlers })
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
type Caller = { key: string; organizationId: string }

const post = (path: string, body: object, caller: Caller) => plumbline.post(`/api/ext${path}`, body, caller)
const get = async (path: string, caller: Caller): Promise<Body> => (await plumbline.get(`/api/ext${path}`, caller)).body
const sync = (rows: object[], caller: Caller, { match = 'accountingId', mode = 'best_effort', kind = 'homes' } = {}) =>
  post(`/${kind}/batch`, { mode, match, rows }, caller)
const statuses = ({ body }: ServiceResponse) => body.rows.map(({ status }: Body) => status)
const faults = ({ body }: ServiceResponse) =>
  body.rows.map(({ problem }: Body) =>
    problem === null ? 'done' : [problem.code, ...problem.errors.map(({ pointer }: Body) => pointer)].join(' '),
  )

async function newSite(lotCount: number | null = null) {
  const caller = await plumbline.newBuilder()
  const { id } = (await post('/communities', { name: 'Juniper Ridge', status: 'active', lotCount }, caller)).body
  return { caller, communityId: id as string }
}

test('a sync creates communities with the requested status', async () => {
  const { caller } = await newSite()
  const rows = [
    { accountingId: 'CLASS-1', name: 'Mill Creek', timeZone: 'America/Denver' },
    { accountingId: 'CLASS-2', name: 'Onion Creek', status: 'active', externalId: 'erp-2' },
    { accountingId: 'CLASS-3', name: 'Atlantis', timeZone: 'Sea/Atlantis' },
    { accountingId: 'CLASS-4' },
  ]
  const first = await sync(rows, caller, { kind: 'communities' })
  expect(faults(first)).toEqual(['done', 'done', 'validation_failed /timeZone', 'validation_failed /name'])
  const [{ id }, active] = first.body.rows
  expect(await get(`/communities/${id}`, caller)).toMatchObject({ status: 'planning', workdays: [1, 2, 3, 4, 5] })
  expect((await get(`/status-changes?resourceId=${active.id}`, caller)).data).toMatchObject([{ to: 'active' }])
})

test('an invalid change of a community does not prevent the other changes of a sync', async () => {
  const { caller, communityId } = await newSite()
  const rows = [
    { accountingId: 'CLASS-1', name: 'Mill Creek', timeZone: 'America/Denver' },
    { accountingId: 'CLASS-2', name: 'Onion Creek', status: 'active', externalId: 'erp-2' },
  ]
  const first = await sync(rows, caller, { kind: 'communities' })
  const [{ id }, active] = first.body.rows
  await post('/homes', { name: 'Lot 1', communityId }, caller)
  const changes = [
    { id: communityId, lotCount: 0 },
    { id, lotCount: 12, timeZone: 'America/Chicago' },
    { id: active.id, status: 'planning' },
  ]
  const second = await sync(changes, caller, { kind: 'communities', match: 'id' })
  expect(faults(second)).toEqual(['conflict', 'done', 'conflict /status'])
  expect(await get(`/communities/${id}`, caller)).toMatchObject({
    lotCount: 12,
    timeZone: 'America/Chicago',
    version: 2,
  })
  const audit = await get(`/audit-entries?resourceId=${id}`, caller)
  expect(audit.data.map(({ action }: Body) => action).toSorted()).toEqual(['community.created', 'community.updated'])
})

test('a sync does not add more homes than a community has lots', async () => {
  const { caller, communityId } = await newSite(3)
  const home = (number: number, more: object = {}) => ({
    ...{ accountingId: `JOB-${number}`, name: `Lot ${number}`, communityId, lotNumber: `${number}` },
    ...more,
  })
  const first = await sync([home(1), home(2, { lotNumber: '1' }), home(3), home(4)], caller)
  // The row of the second home fails, because the first home is on the same lot, but it still counts toward the number
  // of lots. Therefore, no lot remains for the fourth home.
  expect(faults(first)).toEqual(
    ['done', 'conflict', 'done', 'conflict'].map((each, i) => (i === 1 ? 'conflict /lotNumber' : each)),
  )
  const [{ id }] = first.body.rows
  const stored = await get(`/homes/${id}`, caller)
  expect(stored).toMatchObject({ status: 'planning', homeType: 'spec', price: null, salesStatus: 'available' })
  const events = (await listEvents(plumbline, caller.organizationId)) as unknown as Body[]
  expect(events.map(({ type }) => type)).toEqual(['home.created', 'home.created'])
  expect(events[0].data.object).toEqual(stored)
  expect(statuses(await sync([home(1), home(3)], caller))).toEqual(['unchanged', 'unchanged'])
  const other = (await post('/communities', { name: 'Mill Creek', status: 'active' }, caller)).body
  const changed = await sync(
    [
      { accountingId: 'JOB-1', swing: 'left', address: { line1: '1 Juniper Ridge Dr' }, basePrice: 400_000 },
      { accountingId: 'JOB-3', communityId: other.id },
      { accountingId: 'JOB-5', name: 'Lot 5', communityId: 'com_nothing' },
      { accountingId: 'JOB-6', name: 'Lot 6', communityId: other.id, elevation: 'A' },
      { accountingId: 'JOB-7', name: 'Lot 7', communityId: other.id, planId: 'pln_nothing' },
      { accountingId: 'JOB-8', name: 'Lot 8', communityId: other.id },
    ],
    caller,
  )
  expect(faults(changed)).toEqual([
    ...['done', 'conflict /communityId', 'unknown_reference /communityId', 'validation_failed /elevation'],
    ...['unknown_reference /planId', 'done'],
  ])
  expect(await get(`/homes/${id}`, caller)).toMatchObject({ swing: 'left', price: 400_000, version: 2 })
})

test('syncing 200 homes of one plan needs no more statements than one home, except for their events', async () => {
  const { caller, communityId } = await newSite()
  const statementsOf = async (rows: object[]) => {
    counted.statements = 0
    expect((await sync(rows, caller)).body).toMatchObject({ failed: 0, created: rows.length })
    return counted.statements
  }
  const rows = Array.from({ length: 201 }, (_, i) => ({ accountingId: `JOB-${i}`, name: `Lot ${i}`, communityId }))
  const one = await statementsOf(rows.slice(0, 1))
  // Each statement stores up to a hundred events. The last events are stored when the transaction ends, which the test
  // does not count.
  expect(await statementsOf(rows.slice(1))).toBe(one + 2)
})

test('a sync treats homes and communities of another builder as unknown', async () => {
  const { communityId } = await newSite()
  const other = await plumbline.newBuilder()
  expect(faults(await sync([{ name: 'Lot 1', communityId }], other, { match: 'id' }))).toEqual([
    'unknown_reference /communityId',
  ])
  expect(faults(await sync([{ id: communityId, name: 'X' }], other, { match: 'id', kind: 'communities' }))).toEqual([
    'unknown_reference /id',
  ])
})

test('a sync of homes or communities requires the write permission of its records', async () => {
  const { caller } = await newSite()
  const key = await plumbline.newKey(['homes:read', 'communities:read'], caller.organizationId)
  for (const kind of ['homes', 'communities'])
    expect((await sync([{ name: 'X' }], { ...caller, key }, { match: 'id', kind })).status).toBe(403)
})
