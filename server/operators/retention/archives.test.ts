import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Builder, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createUser } from '../../domain/office/users/users.ts'
import { fetchArchives, listAllArchives } from '../../platform/archives/fetch-archives.ts'
import { type Archive, claimArchiveKind, toFileName, toStorageKey } from '../../platform/archives/queries.ts'
import type { Tables } from '../../platform/database/database.ts'
import { eraseLead } from '../builder-data/erase-lead.ts'
import { eraseOrganization } from '../builder-data/erase-organization.ts'
import { eraseUser } from '../builder-data/erase-person.ts'
import { startDeletionWorker } from './delete-expired.ts'

const DAY_MS = 86_400_000

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on what is in a file, whatever that is.
type Line = { kind: string; data: any }

let plumbline: TestPlumbline
const scratch = mkdtempSync(path.join(tmpdir(), 'plumbline-archives-'))
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(async () => {
  await plumbline.stop()
  rmSync(scratch, { recursive: true, force: true })
})

const KEPT_DAYS = 365

/** Runs the job once, in one process. */
function forget(): Promise<void> {
  const stored = { archives: true, eventRetentionDays: KEPT_DAYS, historyRetentionDays: KEPT_DAYS }
  return startDeletionWorker(plumbline.app.services, stored).run()
}

/** Moves the clock to the next month, because each test uses months of its own. */
function nextMonth(): void {
  const now = plumbline.clock.now()
  plumbline.clock.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime())
}

const monthNow = () => plumbline.clock.now().toISOString().slice(0, 7)

/** Creates a vendor and puts it on hold. This results in two events and one status change. */
async function newVendor(key: string, companyName = 'Brazos Framing', reason = 'Asked for time'): Promise<string> {
  const { body } = await plumbline.post('/api/ext/vendors', { companyName, email: 'otto@example.com' }, { key })
  await plumbline.post(`/api/ext/vendors/${body.id}/status`, { status: 'on_hold', reason }, { key })
  return body.id
}

/** Returns the IDs of a builder's rows in a table. For events, returns only those that have been dispatched. */
async function idsIn(table: keyof Tables, { organizationId }: Builder): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)} where "organizationId" = ${organizationId} order by "id"`.execute(
    plumbline.database.statements,
  )
  return rows.map(({ id }) => id)
}

/** Resolves when all events of the builder have sequence numbers. */
async function dispatched({ organizationId }: Builder): Promise<void> {
  const deadline = Date.now() + 10_000
  for (;;) {
    const { rows } = await sql`
      select from "events" where "organizationId" = ${organizationId} and "sequence" is null limit 1`.execute(
      plumbline.database.statements,
    )
    if (rows.length === 0) return
    if (Date.now() > deadline) throw new Error('Some events were not dispatched.')
    await new Promise((next) => setTimeout(next, 20))
  }
}

async function getArchives({ organizationId }: Builder): Promise<Archive[]> {
  const all: Archive[] = []
  for await (const archive of listAllArchives(plumbline.database.statements, organizationId)) all.push(archive)
  return all
}

/** Returns the files in the builder's folder of the file store. */
function getFiles({ organizationId }: Builder): string[] {
  return globSync(`${organizationId}/**/*.gz`, { cwd: path.join(plumbline.config.dataDir, 'files') }).map((file) =>
    path.basename(file),
  )
}

/** Returns the lines of a builder's archives, as returned by the operator command. */
async function fetched(
  { organizationId }: Builder,
  requested: { kind?: string; month?: string } = {},
): Promise<Line[]> {
  const folder = path.join(scratch, `${organizationId}-${readdirSync(scratch).length}`)
  await fetchArchives(plumbline, organizationId, folder, requested)
  return readdirSync(folder)
    .sort()
    .flatMap((name) =>
      gunzipSync(readFileSync(path.join(folder, name)))
        .toString()
        .trimEnd()
        .split('\n'),
    )
    .map((text) => JSON.parse(text))
}

const idOf = ({ data }: Line): string => data.id

test('old events, status changes, and notices are archived by month before they are deleted', async () => {
  const builder = await plumbline.newBuilder()
  const { key } = builder
  nextMonth()
  const vendorId = await newVendor(key)
  const { body: invited } = await plumbline.post(
    '/api/ext/vendors',
    { companyName: 'Vex', email: 'o@example.com' },
    { key },
  )
  const { body: community } = await plumbline.post('/api/ext/communities', { name: 'Brook', status: 'active' }, { key })
  const requested = { vendorIds: [invited.id], scope: 'framing', deadline: '2090-01-02', communityId: community.id }
  const { body: request } = await plumbline.post('/api/ext/bids/request', requested, { key })
  const reminder = { kind: 'reminder', bidRequestId: request.id, message: 'See you\u2028there' }
  const { status, body: notice } = await plumbline.post(`/api/ext/vendors/${invited.id}/notifications`, reminder, {
    key,
  })
  expect([status, notice]).toMatchObject([201, reminder])
  const idsNow = async () => ({
    event: await idsIn('events', builder),
    status_change: await idsIn('statusChanges', builder),
    vendor_notification: await idsIn('vendorNotifications', builder),
  })
  const [month, before] = [monthNow(), await idsNow()]
  nextMonth()
  plumbline.clock.advance(10 * DAY_MS)
  await newVendor(key, 'A month later')
  await dispatched(builder)
  const monthLater = monthNow()
  const all = await idsNow()
  const events = (await plumbline.get('/api/ext/events?limit=200', { key })).body.data

  // All of the first month, but only part of the second month, is older than a year.
  plumbline.clock.advance((KEPT_DAYS + 5) * DAY_MS)
  await forget()
  expect((await getArchives(builder)).map((archive) => [archive.kind, archive.month, archive.records])).toEqual(
    Object.entries(before).map(([kind, ids]) => [kind, `${month}-01`, ids.length]),
  )
  expect(getFiles(builder).sort()).toEqual((await getArchives(builder)).map(toFileName).sort())
  expect(await idsNow()).toEqual({
    event: all.event.slice(before.event.length),
    status_change: all.status_change.slice(before.status_change.length),
    vendor_notification: [],
  })

  nextMonth()
  await forget()
  expect(await idsNow()).toEqual({ event: [], status_change: [], vendor_notification: [] })
  const stored = await fetched(builder, { kind: 'event' })
  // As in an export, portal links are left out.
  const shown = JSON.parse(JSON.stringify(events, (name, value) => (name === 'portalUrl' ? undefined : value)))
  expect(stored.map(({ data }) => data)).toEqual(shown.map((event: object) => expect.objectContaining(event)))
  expect((await fetched(builder, { month: monthLater })).map(({ kind }) => kind)).toEqual([
    ...['event', 'event', 'status_change'],
  ])
  const changes = await fetched(builder, { kind: 'status_change' })
  expect(changes.map(idOf)).toEqual(all.status_change)
  expect(changes[0]?.data).toMatchObject({ resourceId: vendorId, to: 'on_hold', reason: 'Asked for time' })
  expect(await fetched(builder, { kind: 'vendor_notification' })).toEqual([
    { kind: 'vendor_notification', data: notice },
  ])
  expect((await plumbline.get('/api/ext/events', { key })).body.data).toEqual([])
  expect((await plumbline.get(`/api/ext/vendors/${vendorId}`, { key })).body.status).toBe('on_hold')
  const trail = await plumbline.get('/api/ext/audit-entries?action=organization.archives_fetched', { key })
  expect(trail.body.data).toHaveLength(4)
})

// On Citus, the owner of a table cannot add triggers to it.
test.skipIf(inject('citus'))('rows that cannot be deleted do not prevent the archiving of other builders', async () => {
  const [failing, other] = [await plumbline.newBuilder(), await plumbline.newBuilder()]
  nextMonth()
  for (const { key } of [failing, other]) await newVendor(key)
  await Promise.all([failing, other].map(dispatched))
  nextMonth()
  plumbline.clock.advance(KEPT_DAYS * DAY_MS)
  const rows = await idsIn('events', failing)
  const { statements } = plumbline.database
  await sql`
    create function "refuseRemoval"() returns trigger language plpgsql as $$
    begin raise exception 'The disk is broken.'; end $$`.execute(statements)
  await sql`
    create trigger "events_refused" before delete on "events" for each row
    when (old."organizationId" = ${sql.lit(failing.organizationId)}) execute function "refuseRemoval"()`.execute(
    statements,
  )
  await expect(forget()).rejects.toThrow('Old rows could not be deleted. Failures: 1.')
  // The failed attempt has left neither files nor rows behind.
  expect([await idsIn('events', failing), await getArchives(failing)]).toMatchObject([
    rows,
    [{ kind: 'status_change' }],
  ])
  expect(getFiles(failing)).toHaveLength(1)
  expect([await idsIn('events', other), (await getArchives(other)).length]).toEqual([[], 2])

  await sql`drop trigger "events_refused" on "events"`.execute(statements)
  await forget()
  expect((await fetched(failing, { kind: 'event' })).map(idOf)).toEqual(rows)
  expect(await idsIn('events', failing)).toEqual([])
})

test('if a process ends while it writes an archive, another process archives the rows', async () => {
  const builder = await plumbline.newBuilder()
  const { database, clock, app } = plumbline
  nextMonth()
  await newVendor(builder.key)
  await dispatched(builder)
  nextMonth()
  plumbline.clock.advance(KEPT_DAYS * DAY_MS)
  const rows = await idsIn('events', builder)
  const claimed = { organizationId: builder.organizationId, kind: 'event', month: '2020-01-01' }
  const dead = await claimArchiveKind(database.statements, clock.now(), claimed)
  if (dead === null) throw new Error('Somebody else has claimed it.')
  const { path: place } = await app.services.files.receive(Buffer.from('half a file'))
  await app.services.files.store.put(toStorageKey(dead), place)

  await forget()
  expect([await idsIn('events', builder), getFiles(builder).includes(toFileName(dead))]).toEqual([rows, true])
  clock.advance(11 * 60_000)
  await forget()
  expect(getFiles(builder)).not.toContain(toFileName(dead))
  expect((await fetched(builder, { kind: 'event' })).map(idOf)).toEqual(rows)
})

test('concurrent processes write each row to only one archive', async () => {
  const builder = await plumbline.newBuilder()
  for (let month = 0; month < 4; month++) {
    nextMonth()
    await newVendor(builder.key)
  }
  await dispatched(builder)
  const [events, changes] = [await idsIn('events', builder), await idsIn('statusChanges', builder)]
  plumbline.clock.advance((KEPT_DAYS + 31) * DAY_MS)
  await Promise.all([forget(), forget(), forget()])
  expect((await fetched(builder)).map(idOf).sort()).toEqual([...events, ...changes].sort())
  expect((await getArchives(builder)).map(({ records }) => records).sort()).toEqual([1, 1, 1, 1, 2, 2, 2, 2])
  expect(getFiles(builder)).toHaveLength(8)
  expect([await idsIn('events', builder), await idsIn('statusChanges', builder)]).toEqual([[], []])
})

test('erasing a person removes the person from all archives', async () => {
  const builder = await plumbline.newBuilder()
  const { database, clock } = plumbline
  const { organizationId, key } = builder
  const name = 'Zenobia "Zen" Quillfeather'
  const email = 'zenobia@harrowfinch.example.com'
  const person = { organizationId, email, name, role: 'estimator' as const, poApprovalLimit: null }
  const { id } = await createUser(database, clock, person)
  nextMonth()
  const vendorId = await newVendor(key, 'Quarry & Sons', `Ask\n${name}.`)
  await plumbline.patch(`/api/ext/vendors/${vendorId}`, { contactName: name, email: email.toUpperCase() }, { key })
  const lead = { firstName: 'Ysolde', lastName: 'Var"ga', email: 'ysolde@example.com' }
  const { body } = await plumbline.post('/api/ext/leads', { ...lead, lastName: 'Oldname' }, { key })
  await plumbline.patch(`/api/ext/leads/${body.id}`, { lastName: lead.lastName }, { key })
  await dispatched(builder)
  nextMonth()
  plumbline.clock.advance(KEPT_DAYS * DAY_MS)
  await forget()
  const before = await getArchives(builder)
  const lines = await fetched(builder)
  const texts = (all: Line[]) => all.map((line) => JSON.stringify(line)).join('\n')
  expect(texts(lines)).toMatch(/Quillfeather.*Ysolde/s)

  const erased = await eraseUser(plumbline, id, { confirm: name, also: [] })
  expect(erased.changed).toMatchObject({ archives: 2 })
  await eraseLead(plumbline, body.id, { confirm: 'Ysolde Var"ga', also: [] })
  const after = await fetched(builder)
  expect(texts(after)).not.toMatch(/quillfeather|zenobia|ysolde|oldname|Var.?"ga/i)
  expect(after.map(({ kind, data }) => [kind, data.id])).toEqual(lines.map(({ kind, data }) => [kind, data.id]))
  expect(texts(after)).toContain('Quarry & Sons')
  expect(after.filter(({ data }) => data.data?.object.contactName === 'Erased person')).not.toHaveLength(0)
  // The previous files are deleted.
  expect(getFiles(builder).sort()).toEqual((await getArchives(builder)).map(toFileName).sort())
  expect(getFiles(builder)).not.toContain(toFileName(before[0] as Archive))
  // A second run finds no more data to erase.
  expect((await eraseUser(plumbline, id, { confirm: 'Erased person', also: [name] })).changed).toEqual({ users: 1 })
})

test('erasing a builder deletes its archives', async () => {
  const builder = await plumbline.newBuilder()
  nextMonth()
  await newVendor(builder.key)
  await dispatched(builder)
  nextMonth()
  plumbline.clock.advance(KEPT_DAYS * DAY_MS)
  await forget()
  expect(getFiles(builder)).toHaveLength(2)
  const { erased } = await eraseOrganization(plumbline, builder.organizationId, 'Harrow & Finch Homes')
  expect(erased).toMatchObject({ archives: 2 })
  expect(existsSync(path.join(plumbline.config.dataDir, 'files', builder.organizationId))).toBe(false)
  await expect(getArchives(builder)).rejects.toMatchObject({ code: 'not_found' })
})
