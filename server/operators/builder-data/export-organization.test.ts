import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../../../test/support/populated-plumbline.ts'
import { columns } from '../../platform/database/columns.gen.ts'
import { listOwnedTables } from '../../platform/database/owned-tables.ts'
import { EXPORT_KINDS, NESTED_TABLES, OMITTED_TABLES, type Table } from './export-kinds.ts'
import { exportOrganization } from './export-organization.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on whatever was written.
type Line = { kind: string; data: any }

let populated: PopulatedPlumbline
let text: string
let lines: Line[]

beforeAll(async () => {
  populated = await startPopulatedPlumbline('enough')
  const { plumbline } = populated
  const stranger = await plumbline.newBuilder()
  await plumbline.post('/api/ext/vendors', { companyName: 'Somebody else entirely' }, { key: stranger.key })
  text = await exported()
  lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}, 120_000)
afterAll(() => populated?.stop())

async function exported(between = async (): Promise<void> => {}): Promise<string> {
  const { plumbline } = populated
  let whole = ''
  await exportOrganization(plumbline, plumbline.organizationId, async (part) => {
    whole += part
    await between()
  })
  return whole
}

const ofKind = (kind: string) => lines.filter((line) => line.kind === kind).map(({ data }) => data)

test('the first line of an export counts the other lines by kind', () => {
  const [first, second] = lines
  expect(first).toMatchObject({ kind: 'export', data: { format: 'plumbline-export-1', version: '0.1.0' } })
  expect(second).toMatchObject({ kind: 'organization', data: { id: populated.plumbline.organizationId } })
  const counted = Object.fromEntries(
    [...Map.groupBy(lines.slice(1), ({ kind }) => kind)].map(([k, v]) => [k, v.length]),
  )
  const { counts } = first?.data ?? {}
  for (const [kind, count] of Object.entries(counts)) expect([kind, counted[kind] ?? 0]).toEqual([kind, count])
  expect(Object.keys(counted).filter((kind) => counts[kind] === undefined)).toEqual([])
})

test('an export contains every row of the builder and no rows of other builders', async () => {
  const { database, organizationId } = populated.plumbline
  for (const { name } of await listOwnedTables(database.statements)) {
    if (OMITTED_TABLES[name as Table] !== undefined || !('id' in columns[name as Table])) continue
    const { rows } = await sql<{ id: string }>`
      select "id" from ${sql.table(name)} where "organizationId" = ${organizationId}`.execute(database.statements)
    const missing = rows.filter(({ id }) => !text.includes(`"id":"${id}"`))
    // The target has one more audit entry, because the export is recorded after it is complete.
    expect([name, missing.length]).toEqual([name, name === 'auditEntries' ? 1 : 0])
  }
  expect(text).not.toContain('Somebody else entirely')
})

test('exported records are identical to the records that the API returns', async () => {
  const { plumbline } = populated
  for (const [kind, collection] of [
    ['vendor', 'vendors'],
    ['home', 'homes'],
    ['bid', 'bids'],
    ['purchase_order', 'purchase-orders'],
    ['message', 'messages'],
    ['webhook', 'webhooks'],
  ] as const) {
    const [record] = ofKind(kind)
    expect([kind, (await plumbline.get(`/api/ext/${collection}/${record.id}`)).body]).toEqual([kind, record])
  }
  const event = ofKind('event')[0]
  expect((await plumbline.get(`/api/ext/events/${event.id}`)).body).toMatchObject({ id: event.id, type: event.type })
})

test('an export contains no secrets and no portal links', async () => {
  const { database, key } = populated.plumbline
  expect(ofKind('webhook').length).toBeGreaterThan(0)
  expect(ofKind('bid_request').length).toBeGreaterThan(0)
  for (const secret of [key, '"portalUrl":', 'whsec_', '/portal/'])
    expect([secret, text.includes(secret)]).toEqual([secret, false])
  const { rows } = await sql<{ secret: string }>`
    select encode("hash", 'hex') as "secret" from "apiKeySecrets" union all select encode("hash", 'base64') from "apiKeySecrets"
    union all select "secret" from "webhooks" where "secret" is not null`.execute(database.statements)
  expect(rows.filter(({ secret }) => text.includes(secret))).toEqual([])
})

test('an export does not contain rows that are written while it runs', async () => {
  const { plumbline } = populated
  // The embedded database has only one connection, so other requests wait for the export.
  if (plumbline.database.embedded) return
  let done = false
  const whole = await exported(async () => {
    if (done) return
    done = true
    expect((await plumbline.post('/api/ext/vendors', { companyName: 'Written meanwhile' })).status).toBe(201)
  })
  expect(done).toBe(true)
  expect(whole).not.toContain('Written meanwhile')
})

describe('complete coverage', () => {
  test('every table of an organization is exported, is part of another record, or is omitted with a reason', async () => {
    const owned = (await listOwnedTables(populated.plumbline.database.statements)).map(({ name }) => name)
    const named = new Set<string>([
      ...EXPORT_KINDS.map(({ table }) => table),
      ...Object.keys(NESTED_TABLES),
      ...Object.keys(OMITTED_TABLES),
    ])
    expect(owned.filter((name) => !named.has(name))).toEqual([])
    expect([...named].filter((name) => !owned.includes(name))).toEqual([])
  })

  test('every column of a table that is exported as stored is in the export, or is omitted with a reason', () => {
    for (const { table, columns: exported, leftOut = {} } of EXPORT_KINDS) {
      if (exported === null) continue
      const all = Object.keys(columns[table]).filter((column) => column !== 'organizationId')
      const forgotten = all.filter((column) => !exported.includes(column) && leftOut[column] === undefined)
      expect([table, forgotten]).toEqual([table, []])
    }
  })
})
