import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { up } from '../../../platform/database/migrations/0561_typed_keys.ts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.open()
}, 60_000)
afterAll(() => desk.plumbline.stop())

const send = (path: string, body: object) => desk.plumbline.post(`/api/ext${path}`, body, { key: desk.builder.key })

test('SKUs are compared without case, surrounding spaces, or differences in Unicode form', async () => {
  const part = await desk.post('/parts', { sku: ' Ca\u00f1o-2x4 ', name: 'Stud', unit: 'EA' })
  expect(part.sku).toBe('Ca\u00f1o-2x4')
  for (const sku of ['ca\u00f1o-2x4', 'CAN\u0303O-2X4', 'Ca\u00f1o-2x4 ']) {
    const taken = await send('/parts', { sku, name: 'Stud', unit: 'EA' })
    expect([taken.status, taken.body.conflictingId], sku).toEqual([409, part.id])
  }
  expect((await desk.get(`/parts?sku=${encodeURIComponent('CAN\u0303O-2x4')}`)).data).toMatchObject([{ id: part.id }])
  const { rows } = await desk.post('/parts/batch', { rows: [{ sku: 'CA\u00d1O-2X4', name: 'Stud, 8 ft' }] })
  expect(rows).toMatchObject([{ id: part.id, status: 'updated' }])
})

test('codes, lot numbers, and accounting IDs are compared without case', async () => {
  const { id: communityId } = await desk.post('/communities', { name: 'Mesa', code: 'ms', accountingId: 'Class-1' })
  expect((await send('/communities', { name: 'Other', code: 'MS' })).status).toBe(409)
  expect((await send('/communities', { name: 'Other', accountingId: 'CLASS-1 ' })).status).toBe(409)
  expect((await desk.get('/communities?accountingId=class-1')).data).toMatchObject([{ id: communityId }])
  await desk.post('/homes', { name: 'Lot 7a', communityId, lotNumber: '7a', block: 'b' })
  expect((await send('/homes', { name: 'Again', communityId, lotNumber: '7A', block: 'B ' })).status).toBe(409)
  const code = await desk.post('/cost-codes', { code: 'ab-100', name: 'Lumber', category: 'material' })
  const { rows } = await desk.post('/cost-codes/batch', {
    rows: [{ code: 'AB-110', name: 'Studs', category: 'material', parentCode: 'Ab-100' }],
  })
  expect(rows).toMatchObject([{ status: 'created' }])
  expect(await desk.get(`/cost-codes/${rows[0].id}`)).toMatchObject({ parentId: code.id })
})

test('rows of a batch are duplicates even if their SKUs differ in case', async () => {
  const rows = [
    { sku: 'NAIL-1', name: 'Nail', unit: 'EA' },
    { sku: 'nail-1 ', name: 'Nail', unit: 'EA' },
  ]
  const answer = await send('/parts/batch', { rows })
  expect(JSON.stringify(answer.body)).toContain('have the same value')
})

const INDEXES = [
  ...[
    ['parts', 'sku'],
    ['costCodes', 'code'],
    ['communities', 'code'],
    ['plans', 'code'],
    ['options', 'code'],
  ],
  ...[
    ['homes', 'lotNumber'],
    ['sales', 'lotNumber'],
  ],
  ...['vendors', 'communities', 'homes', 'costCodes', 'contracts', 'purchaseOrders', 'payments'].map((table) => [
    table,
    'accountingId',
  ]),
] as [string, string][]

/** Restores the tables to their state before the migration, in which keys were not unique. */
async function undoMigration(): Promise<void> {
  const { sessions } = desk.plumbline.database
  await sql`drop function "typedKey" cascade`.execute(sessions)
  for (const table of new Set(INDEXES.map(([table]) => table))) {
    await sql`drop function ${sql.id(`${table}_end_shared_key`)} cascade`.execute(sessions)
    await sql`alter table ${sql.table(table)} drop column "hasSharedKey" cascade`.execute(sessions)
    await sql`alter table ${sql.table(table)} drop column if exists "blockKey" cascade`.execute(sessions)
  }
  for (const [table, column] of INDEXES) {
    await sql`drop index if exists ${sql.id(`${table}_accountingIdOrder`)}`.execute(sessions)
    await sql`create index ${sql.id(`${table}_${column}_key`)} on ${sql.table(table)} (${sql.id(column)})`.execute(
      sessions,
    )
  }
}

// The migration changes rows that old versions wrote. These versions did not support Citus.
test.skipIf(inject('citus'))(
  'two parts that shared a SKU before the upgrade keep the SKU until it is changed',
  async () => {
    const first = await desk.post('/parts', { sku: 'dup-a', name: 'Plate', unit: 'EA' })
    const second = await desk.post('/parts', { sku: 'dup-b', name: 'Plate', unit: 'EA' })
    await undoMigration()
    const { sessions } = desk.plumbline.database
    await sql`update "parts" set "sku" = ' DUP-A' where "id" = ${second.id}`.execute(sessions)
    await up(sessions as unknown as Kysely<unknown>)
    const { rows } = await sql`select "id" from "parts" where "hasSharedKey"`.execute(sessions)
    expect(rows).toEqual([{ id: second.id }])
    expect((await desk.get('/parts?sku=dup-a')).data.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
    const change = (body: object) =>
      desk.plumbline.patch(`/api/ext/parts/${second.id}`, body, { key: desk.builder.key })
    expect((await change({ name: 'Plate, kept' })).status).toBe(200)
    expect((await send('/parts', { sku: 'Dup-A', name: 'Plate', unit: 'EA' })).status).toBe(409)
    expect((await change({ sku: 'dup-c' })).status).toBe(200)
    expect(await change({ sku: 'DUP-a' })).toMatchObject({ status: 409, body: { conflictingId: first.id } })
  },
)
