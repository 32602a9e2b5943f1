import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { World } from '../../../scripts/conformance/world.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../../../test/support/populated-plumbline.ts'
import type { Builder } from '../../../test/support/test-plumbline.ts'
import { createUser, listUsers } from '../../domain/office/users/users.ts'
import { listOwnedTables } from '../../platform/database/owned-tables.ts'
import { eraseLead } from './erase-lead.ts'
import { eraseOrganization, TABLE_PARTS } from './erase-organization.ts'
import { eraseBuyer, eraseContact, eraseUser, UNSEARCHED_TABLES } from './erase-person.ts'
import { exportOrganization } from './export-organization.ts'

let populated: PopulatedPlumbline
beforeAll(async () => {
  populated = await startPopulatedPlumbline('enough')
}, 120_000)
afterAll(() => populated?.stop())

/** Returns all tables in the database that contain one of these texts, ignoring case. */
async function tablesWith(...requested: string[]): Promise<string[]> {
  const db = populated.plumbline.database.statements
  const { rows } = await sql<{ table: string; columns: string[] }>`
    select "table_name" as "table", array_agg("column_name"::text) as "columns" from "information_schema"."columns"
    where "table_schema" = current_schema() and "data_type" in ('text', 'json', 'jsonb', 'ARRAY', 'character varying')
    group by 1`.execute(db)
  const patterns = requested.map((text) => `%${text.replace(/[\\%_]/g, '\\$&')}%`)
  const tables: string[] = []
  for (const { table, columns } of rows) {
    const whole = sql`concat_ws(chr(10), ${sql.join(columns.map((column) => sql`${sql.ref(column)}::text`))})`
    const found =
      await sql`select 1 from ${sql.table(table)} where ${whole} ilike any(${patterns}::text[]) limit 1`.execute(db)
    if (found.rows.length > 0) tables.push(table)
  }
  return tables.sort()
}

describe('a person', () => {
  test("erasing a user removes the user's data from the database but keeps the user ID", async () => {
    const { plumbline } = populated
    const { database, clock, organizationId } = plumbline
    const name = 'Zenobia "Zen" Quillfeather'
    const email = 'zenobia.quillfeather@harrowfinch.example.com'
    const { id } = await createUser(database, clock, {
      ...{ organizationId, email, name, role: 'estimator' as const, poApprovalLimit: null },
    })
    const vendor = await plumbline.post('/api/ext/vendors', {
      ...{ companyName: 'Quarry & Sons', contactName: `${name}`, email, externalId: 'Q-1' },
    })
    await plumbline.patch(`/api/ext/vendors/${vendor.body.id}`, { contactName: 'Somebody', email: null })
    await plumbline.post(`/api/ext/vendors/${vendor.body.id}/status`, {
      ...{ status: 'on_hold', reason: `Ask\n${name}, also under ZENOBIA.QUILLFEATHER@harrowfinch.example.com.` },
    })
    const message = await plumbline.post('/api/ext/messages', {
      body: `Zenobia Quillfeather <${email}> left. Write to not-${email} instead.`,
      recipients: [{ type: 'user', id }],
    })
    expect(message.status).toBe(201)
    expect(await tablesWith(email)).toEqual(['events', 'messages', 'statusChanges', 'users'])

    const wrong = eraseUser(plumbline, id, { confirm: 'Zenobia', also: [] })
    await expect(wrong).rejects.toMatchObject({ code: 'validation_failed' })
    const { changed } = await eraseUser(plumbline, id, { confirm: name, also: ['Zenobia Quillfeather'] })
    expect(Object.keys(changed).sort()).toEqual(['events', 'messages', 'statusChanges', 'users'])
    const escaped = JSON.stringify(name).slice(1, -1)
    expect(await tablesWith(name, escaped, 'Zenobia Quillfeather', ` ${email}`, `<${email}`, `"${email}`)).toEqual([])
    // An email address that only ends in the same way belongs to another person.
    expect(await tablesWith(`not-${email}`)).toContain('messages')
    const user = (await listUsers(database, organizationId)).find((one) => one.id === id)
    expect(user).toMatchObject({ name: 'Erased person', email: `${id}@erased.invalid`, status: 'disabled' })
    const after = await plumbline.get(`/api/ext/messages/${message.body.id}`)
    expect(after.body.recipients.map((recipient: { id: string }) => recipient.id)).toEqual([id])
    expect(after.body.version).toBe(message.body.version + 1)
    // Data about other people is unchanged.
    expect((await plumbline.get(`/api/ext/vendors/${vendor.body.id}`)).body.contactName).toBe('Somebody')
    // A second run finds no more data to erase.
    const again = await eraseUser(plumbline, id, { confirm: 'Erased person', also: [] })
    expect(again.changed).toEqual({ users: 1 })
  })

  test('the only owner of a builder cannot be erased', async () => {
    const { plumbline } = populated
    const { userId } = await plumbline.newBuilder()
    const refused = eraseUser(plumbline, userId, { confirm: 'Priya Harrow', also: [] })
    await expect(refused).rejects.toMatchObject({ code: 'conflict' })
  })

  test('erasing a vendor contact removes only this contact everywhere', async () => {
    const { plumbline } = populated
    const person = { name: 'Ottoline Vex', email: 'otto@vexframing.example.com', phone: '+1 512 555 0177' }
    const other = { name: 'Bram Stokes', email: 'bram@vexframing.example.com', phone: '+1 512 555 0178' }
    const { body: vendor } = await plumbline.post('/api/ext/vendors', {
      ...{ companyName: 'Vex Framing', contactName: other.name, email: other.email, contacts: [person, other] },
    })
    await plumbline.post(`/api/ext/vendors/${vendor.id}/status`, {
      status: 'on_hold',
      reason: 'ottoline vex has left.',
    })
    const { changed } = await eraseContact(plumbline, vendor.id, { email: person.email, also: [] })
    expect(changed).toMatchObject({ vendors: 1, events: 2, statusChanges: 1 })
    expect(await tablesWith(...Object.values(person))).toEqual([])
    const { body } = await plumbline.get(`/api/ext/vendors/${vendor.id}`)
    expect(body).toMatchObject({ companyName: 'Vex Framing', contactName: other.name, email: other.email })
    expect(body.contacts).toMatchObject([
      { name: 'Erased person', email: 'erased@erased.invalid', phone: 'erased' },
      other,
    ])
    await expect(eraseContact(plumbline, vendor.id, { email: person.email, also: [] })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(eraseContact(plumbline, vendor.id, { also: ['active'] })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('erasing a person removes the person from leads, sales, notes, and events', async () => {
    const { plumbline } = populated
    const person = { firstName: 'Ysolde', lastName: 'Var"ga', email: 'ysolde@example.com', phone: '+1 512 555 0179' }
    const { body: lead } = await plumbline.post('/api/ext/leads', { ...person, lastName: 'Oldname' })
    await plumbline.patch(`/api/ext/leads/${lead.id}`, { lastName: person.lastName })
    const notes = 'Ysolde Var"ga called from +1 512 555 0179.'
    await plumbline.post(`/api/ext/leads/${lead.id}/activities`, { activityType: 'call', notes })
    const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Erasing', status: 'active' })
    const other = { name: 'Petr Lind', email: 'petr@example.com', phone: null }
    const { body: sale } = await plumbline.post(`/api/ext/leads/${lead.id}/convert`, {
      ...{ communityId: community.id, lotNumber: '1', basePrice: 100 },
      buyers: [{ name: 'Ysolde Var"ga', email: person.email }, other],
    })
    expect(sale.leadId).toBe(lead.id)
    const wrong = eraseLead(plumbline, lead.id, { confirm: 'Ysolde', also: [] })
    await expect(wrong).rejects.toMatchObject({ code: 'validation_failed' })
    const { changed } = await eraseLead(plumbline, lead.id, { confirm: 'Ysolde Var"ga', also: [] })
    expect(changed).toMatchObject({ leads: 1, leadActivities: 1, sales: 1, events: expect.any(Number) })
    expect(await tablesWith('Ysolde', 'Oldname', 'Var"ga', person.email, person.phone)).toEqual([])
    const after = (await plumbline.get(`/api/ext/sales/${sale.id}`)).body
    expect(after).toMatchObject({ leadId: lead.id, basePrice: 100, version: sale.version + 1 })
    expect(after.buyers).toEqual([{ name: 'Erased person', email: 'erased@erased.invalid', phone: null }, other])
    await eraseBuyer(plumbline, sale.id, { email: other.email, also: [] })
    expect(await tablesWith(other.name, other.email)).toEqual([])
    expect((await plumbline.get(`/api/ext/leads/${lead.id}`)).body).toMatchObject({ firstName: 'Erased', email: null })
  })

  test('erasing a buyer archives the matching owner of the home and revokes the link', async () => {
    const { plumbline } = populated
    const post = async (path: string, fields: object = {}) => (await plumbline.post(`/api/ext/${path}`, fields)).body
    const community = await post('communities', { name: 'Erased owners', status: 'active' })
    const home = await post('homes', { communityId: community.id, name: 'Lot 1', basePrice: 100 })
    const buyers = [{ name: 'Wilhelmina Ostrander' }, { name: 'Walter Ostrander' }]
    const sale = await post('sales', { homeId: home.id, buyers, basePrice: 100 })
    await post(`sales/${sale.id}/approve`)
    const owners = (await plumbline.get(`/api/ext/home-owners?homeId=${home.id}&sort=createdAt`)).body.data
    const links: string[] = []
    for (const { id } of owners)
      links.push(plumbline.url + new URL((await post(`home-owners/${id}/link`)).ownerUrl).pathname)
    await eraseBuyer(plumbline, sale.id, { name: 'Wilhelmina Ostrander', also: [] })
    const opened = await Promise.all(links.map(async (link) => (await fetch(link)).status))
    const found = owners.map(({ name }: { name: string }) => name)
    expect([found, opened]).toEqual([buyers.map(({ name }) => name), [410, 200]])
    expect((await plumbline.get(`/api/ext/home-owners/${owners[0].id}`)).body).toMatchObject({
      ...{ name: 'Erased person', invitedAt: null, archivedAt: expect.any(String) },
    })
  })

  test('erasing a lead archives the home owner who bought the home and revokes the link', async () => {
    const { plumbline } = populated
    const post = async (path: string, fields: object = {}) => (await plumbline.post(`/api/ext/${path}`, fields)).body
    const lead = await post('leads', { firstName: 'Thaddeus', lastName: 'Ostrander' })
    const community = await post('communities', { name: 'Erased leads', status: 'active' })
    const home = await post('homes', { communityId: community.id, name: 'Lot 2', basePrice: 100 })
    const sale = await post(`leads/${lead.id}/convert`, { homeId: home.id, basePrice: 100 })
    await post(`sales/${sale.id}/approve`)
    const [owner] = (await plumbline.get(`/api/ext/home-owners?homeId=${home.id}`)).body.data
    expect(owner.name).toBe('Thaddeus Ostrander')
    const { ownerUrl } = await post(`home-owners/${owner.id}/link`)
    await eraseLead(plumbline, lead.id, { confirm: 'Thaddeus Ostrander', also: [] })
    expect((await fetch(plumbline.url + new URL(ownerUrl).pathname)).status).toBe(410)
    expect((await plumbline.get(`/api/ext/home-owners/${owner.id}`)).body).toMatchObject({
      ...{ name: 'Erased person', invitedAt: null, archivedAt: expect.any(String) },
    })
  })

  test('erasing a person searches every table of a builder, except tables that are listed with a reason', async () => {
    const owned = (await listOwnedTables(populated.plumbline.database.statements)).map(({ name }) => name)
    expect(Object.keys(UNSEARCHED_TABLES).filter((name) => !owned.includes(name))).toEqual([])
    for (const { name, key } of await listOwnedTables(populated.plumbline.database.statements))
      expect([name, key.length > 0 || COUNTERS.includes(name)]).toEqual([name, true])
  })
})

/** Tables that contain one row with a number for each builder. */
const COUNTERS = [
  ...['ledgers', 'ledgerChecks', 'journalNumbers'],
  ...['bidRequestNumbers', 'billNumbers', 'contractNumbers', 'paymentNumbers', 'paymentRunNumbers', 'saleNumbers'],
  'warrantyRequestNumbers',
  ...['fileUsage', 'sandboxes'],
]

describe('a builder', () => {
  let builder: Builder
  beforeAll(async () => {
    const { plumbline, receiver } = populated
    builder = await plumbline.newBuilder()
    await new World(plumbline, builder.key, receiver.url).populate('enough')
  }, 120_000)

  async function rowsOf(organizationId: string): Promise<number> {
    const { statements } = populated.plumbline.database
    let total = 0
    for (const { name } of await listOwnedTables(statements)) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as "count" from ${sql.table(name)} where "organizationId" = ${organizationId}`.execute(
        statements,
      )
      total += rows[0]?.count ?? 0
    }
    return total
  }

  test('erasing a builder revokes its keys and deletes all its data', async () => {
    const { plumbline } = populated
    const { organizationId, key } = builder
    const before = await rowsOf(plumbline.organizationId)
    expect(await rowsOf(organizationId)).toBeGreaterThan(50)
    await expect(eraseOrganization(plumbline, organizationId, 'Harrow')).rejects.toMatchObject({
      code: 'validation_failed',
    })
    const removed: string[] = []
    // If the command is interrupted at the first table, it has already revoked the API keys and can be repeated.
    const interrupted = eraseOrganization(plumbline, organizationId, 'Harrow & Finch Homes', () => {
      throw new Error('Interrupted.')
    })
    await expect(interrupted).rejects.toThrow('Interrupted.')
    const isRefused = async () => (await plumbline.get('/api/ext/me', { key })).status === 401
    const deadline = Date.now() + 10_000
    while (!(await isRefused()) && Date.now() < deadline) await new Promise((next) => setTimeout(next, 50))
    expect(await isRefused()).toBe(true)
    const { erased } = await eraseOrganization(plumbline, organizationId, 'Harrow & Finch Homes', (table) =>
      removed.push(table),
    )
    expect(erased).toMatchObject({ users: 1, webhooks: expect.any(Number), purchaseOrders: expect.any(Number) })
    expect(removed.indexOf('bids')).toBeLessThan(removed.indexOf('vendors'))
    expect(await rowsOf(organizationId)).toBe(0)
    expect(await tablesWith(organizationId)).toEqual([])
    expect(await rowsOf(plumbline.organizationId)).toBeGreaterThanOrEqual(before)
    await expect(eraseOrganization(plumbline, organizationId, 'Harrow & Finch Homes')).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(exportOrganization(plumbline, organizationId, async () => {})).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('erasing a builder processes each table only once, regardless of its number of batches', async () => {
    const { plumbline } = populated
    const { organizationId, key } = await plumbline.newBuilder()
    const rows = Array.from({ length: 500 }, (_, i) => ({ accountingId: `QB-${i}`, companyName: `Vendor ${i}` }))
    const synced = await plumbline.post('/api/ext/vendors/batch', { match: 'accountingId', rows }, { key })
    expect(synced.body.rows.filter(({ status }: { status: string }) => status === 'created')).toHaveLength(500)
    // Deleting the vendors needs several batches, because more than a dozen tables refer to vendors.
    const tables = await listOwnedTables(plumbline.database.statements)
    expect(tables.find(({ name }) => name === 'vendors')?.referredBy).toBeGreaterThan(12)
    const removed: [string, number][] = []
    await eraseOrganization(plumbline, organizationId, 'Harrow & Finch Homes', (...each) => removed.push(each))
    expect(removed.filter(([table]) => table === 'vendors')).toEqual([['vendors', 500]])
    expect(await rowsOf(organizationId)).toBe(0)
  })

  test('a builder can be erased again if rows were written after the first erasure', async () => {
    const { plumbline } = populated
    const { organizationId } = builder
    await sql`
      insert into "statusChanges" ("organizationId", "id", "resourceId", "to", "at", "by")
      values (${organizationId}, 'stc_late', 'ven_late', 'active', now(), '{}')`.execute(plumbline.database.statements)
    expect((await eraseOrganization(plumbline, organizationId, 'any')).erased).toEqual({ statusChanges: 1 })
  })

  // On the embedded database, no other transaction can run during the command.
  test('rows that are written while a builder is being erased are also erased', async (context) => {
    const { plumbline } = populated
    const { database } = plumbline
    context.skip(database.embedded)
    const { organizationId } = await plumbline.newBuilder()
    const [written, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = database.transaction(async (trx) => {
      await sql`
        insert into "statusChanges" ("organizationId", "id", "resourceId", "to", "at", "by")
        values (${organizationId}, 'stc_late', 'ven_late', 'active', now(), '{}')`.execute(trx)
      written.resolve()
      await gone.promise
    })
    await written.promise
    const erasing = eraseOrganization(plumbline, organizationId, 'Harrow & Finch Homes')
    const isThere = () =>
      database.statements.selectFrom('organizations').select('id').where('id', '=', organizationId).executeTakeFirst()
    while ((await isThere()) !== undefined) await new Promise((next) => setTimeout(next, 5))
    gone.resolve()
    await late
    expect((await erasing).erased).toMatchObject({ statusChanges: 1 })
  })

  test('every table has an index for the rows of a builder and for each reference to deleted rows', async () => {
    const { statements } = populated.plumbline.database
    const { rows } = await sql<{ table: string; columns: string[]; isPartial: boolean }>`
      select c."relname" as "table", i."indpred" is not null as "isPartial",
        array(select pg_get_indexdef(i."indexrelid", p, true) from generate_series(1, i."indnkeyatts"::int) as p) as "columns"
      from "pg_index" i join "pg_class" c on c."oid" = i."indrelid"
      where c."relnamespace" = current_schema()::regnamespace`.execute(statements)
    const indexes = rows.map((row) => ({ ...row, columns: row.columns.map((column) => column.replaceAll('"', '')) }))
    for (const { name, references } of await listOwnedTables(statements)) {
      const own = indexes.filter(({ table }) => table === name)
      const leads = own.some(({ columns, isPartial }) => !isPartial && columns[0] === 'organizationId')
      expect([name, leads || TABLE_PARTS[name] !== undefined]).toEqual([name, true])
      for (const { columns } of references) {
        const isIndexed = own.some((index) =>
          columns.every((column) => index.columns.slice(0, columns.length).includes(column)),
        )
        expect([name, columns, isIndexed]).toEqual([name, columns, true])
      }
    }
  })
})
