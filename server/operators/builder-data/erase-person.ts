import { type RawBuilder, sql } from 'kysely'
import { updateUser } from '../../domain/office/users/users.ts'
import { rewriteArchives } from '../../platform/archives/rewrite-archives.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { listOwnedTables, type OwnedTable } from '../../platform/database/owned-tables.ts'
import { openFiles } from '../../platform/files/files.ts'
import { deleteUnusedIdentities } from '../../platform/keys/delete-old-identities.ts'
import { revokeOwnerLinks } from '../../platform/keys/owner-links.ts'
import { revokeVendorLinks } from '../../platform/keys/portal-links.ts'
import { notFound, validationFailed } from '../../platform/problems/problem.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { waitUntilIndexed } from '../../platform/search/index-changes.ts'
import { type IdentityMark, NEUTRAL_TEXTS, toIdentityMark } from './identity-marks.ts'

/**
 * The result of erasing a person, who is a user of the builder, a contact of one of its vendors, a lead, or a buyer.
 * Texts that identify the person (name, email address, phone number, and texts that the operator specifies) are
 * replaced in all of the builder's rows and in the archives of deleted rows. Rows include records, messages, reasons,
 * event payloads, and receivers' stored responses. IDs are kept, so that the history remains consistent.
 *
 * The columns are read from the database's catalog, so that new columns are included automatically.
 */
export interface ErasedPerson {
  organizationId: string
  id: string
  /** The number of changed rows by table, and the number of changed files as `archives`. */
  changed: Record<string, number>
}

/** Tables that are not searched, each with the reason. */
export const UNSEARCHED_TABLES: Record<string, string> = {
  archives: 'Contains only kind names and hashes. Personal data is replaced in the archived files.',
  auditEntries: 'Contains only IDs, field names, and IP addresses, and cannot be changed.',
  fileArrivals: 'Contains only the content of files, which is not searched for names.',
  postings: 'Contains only IDs, amounts, and generated notes, and cannot be changed.',
  portalForms: 'Rejected portal forms are deleted within 24 hours.',
  idempotencyRecords: 'Stored responses are encrypted and deleted within 7 days.',
}

/** Columns that contain no text written by users. */
export const OPAQUE_COLUMNS: Record<string, readonly string[]> = {
  webhooks: ['secret', 'previousSecret'],
  apiKeySecrets: ['start'],
  portalAddresses: ['sealedToken'],
  mails: ['sealedLink', 'replyToken'],
}

export interface EraseParts {
  database: Database
  clock: Clock
  /** The configuration values that determine where the attached files are. */
  config: Pick<Config, 'dataDir' | 'filesBucket'>
}

export async function eraseUser(
  { database, clock, config }: EraseParts,
  id: string,
  { confirm, also }: { confirm: string; also: readonly string[] },
): Promise<ErasedPerson> {
  const user = await database.statements
    .selectFrom('users')
    .select(['organizationId', 'name', 'email', 'phone'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (user === undefined) throw notFound()
  if (user.name !== confirm) {
    throw validationFailed([{ pointer: '--confirm', code: 'mismatch', message: 'must be the name of the user' }])
  }
  const address = `${id}@erased.invalid`
  const isErased = user.email === address
  const marks = [
    ...(isErased ? [] : [toIdentityMark(user.email, address), ...toNameMarks(user.name)]),
    ...(user.phone === null ? [] : [toIdentityMark(user.phone)]),
    ...also.map((text) => toIdentityMark(text)),
  ]
  // Disables the user first, to end the user's access. Throws if the builder would have no owner left.
  await updateUser(database, clock, id, { status: 'disabled' })
  const { organizationId } = user
  const sweeping = { database, clock, config, organizationId, marks }
  const changed = await replaceMarksInTables(sweeping, (table) => table !== 'users')
  addCounts(changed, await replaceMarksInArchives(sweeping))
  // Changes the user's row last, because a repeated run after an interruption needs its values.
  await updateUser(database, clock, id, { name: NEUTRAL_TEXTS.name, email: address, phone: null })
  await deleteUnusedIdentities(database)
  addCounts(changed, { users: 1 })
  addCounts(changed, await replaceMarksInTables(sweeping, (table) => table !== 'users'))
  await waitUntilIndexed(database, organizationId)
  return { organizationId, id, changed }
}

export interface ContactQuery {
  name?: string | undefined
  email?: string | undefined
  also: readonly string[]
}

export async function eraseContact(
  parts: EraseParts,
  vendorId: string,
  requested: ContactQuery,
): Promise<ErasedPerson> {
  assertPersonNamed(requested)
  const vendor = await parts.database.statements
    .selectFrom('vendors')
    .select(['organizationId', 'contactName', 'email', 'phone', 'contacts'])
    .where('id', '=', vendorId)
    .executeTakeFirst()
  if (vendor === undefined) throw notFound()
  const { organizationId, contactName: name, email, phone } = vendor
  const people = [{ name, email, phone }, ...(vendor.contacts as unknown as Contact[])]
  // Revokes portal links, because those in the mailbox of the erased person must not remain valid.
  if (people.some((person) => person.email && matchesContact(person, requested))) {
    const { database, clock } = parts
    await revokeVendorLinks({ db: database.statements, organizationId, now: clock.now() }, [vendorId])
  }
  return eraseFromPeople(parts, { organizationId, id: vendorId, table: 'vendors' }, people, requested)
}

export async function eraseBuyer(parts: EraseParts, saleId: string, requested: ContactQuery): Promise<ErasedPerson> {
  assertPersonNamed(requested)
  const sale = await parts.database.statements
    .selectFrom('sales')
    .select(['organizationId', 'homeId', 'buyers'])
    .where('id', '=', saleId)
    .executeTakeFirst()
  if (sale === undefined) throw notFound()
  const { organizationId, homeId } = sale
  const buyers = sale.buyers as unknown as Contact[]
  await archiveMatchingOwners(
    parts,
    { organizationId, homeIds: homeId === null ? [] : [homeId] },
    buyers.filter((buyer) => matchesContact(buyer, requested)),
  )
  return eraseFromPeople(parts, { organizationId, id: saleId, table: 'sales' }, buyers, requested)
}

/**
 * Archives home owners who are among these people, and revokes their links, because links in the mailbox of an erased
 * person must not remain valid. Finds owners by email address in all homes, and by name in the given homes.
 */
export async function archiveMatchingOwners(
  { database, clock }: Pick<EraseParts, 'database' | 'clock'>,
  { organizationId, homeIds }: { organizationId: string; homeIds: readonly string[] },
  people: readonly Contact[],
): Promise<void> {
  const emails = people.flatMap(({ email }) => (email ? [email.toLowerCase()] : []))
  const names = people.flatMap(({ name }) => (name ? [name] : []))
  const now = clock.now()
  await database.transaction(async (db) => {
    const { rows } = await sql<{ id: string }>`
      update "homeOwners" set "archivedAt" = coalesce("archivedAt", ${now}), "invitedAt" = null,
        "version" = "version" + 1, "updatedAt" = ${now}
      where "organizationId" = ${organizationId}
        and (lower("email") = any(${emails}::text[]) or ("homeId" = any(${[...homeIds]}::text[]) and "name" = any(${names}::text[])))
      returning "id"`.execute(db)
    for (const { id } of rows) await revokeOwnerLinks({ db, organizationId, now }, id)
  })
}

function assertPersonNamed({ name, email, also }: ContactQuery): void {
  if (name !== undefined || email !== undefined || also.length > 0) return
  throw validationFailed([
    { pointer: '--email', code: 'required', message: 'is required unless --name or --also is set' },
  ])
}

/** Erases the people who match from a record. */
async function eraseFromPeople(
  { database, clock, config }: EraseParts,
  { organizationId, id, table: of }: { organizationId: string; id: string; table: string },
  among: readonly Contact[],
  requested: ContactQuery,
): Promise<ErasedPerson> {
  const people = among.filter((person) => matchesContact(person, requested))
  if (people.length === 0 && requested.also.length === 0) throw notFound()
  const marks = [...people.flatMap(listContactIdentityMarks), ...requested.also.map((text) => toIdentityMark(text))]
  const sweeping = { database, clock, config, organizationId, marks }
  // Changes the record last, because a repeated run after an interruption needs its values.
  const changed = await replaceMarksInTables(sweeping, (table) => table !== of && table !== 'users')
  addCounts(changed, await replaceMarksInArchives(sweeping))
  addCounts(changed, await replaceMarksInTables(sweeping, (table) => table === of))
  addCounts(changed, await replaceMarksInTables(sweeping, (table) => table !== 'users'))
  await waitUntilIndexed(database, organizationId)
  return { organizationId, id, changed }
}

/** Returns the texts that identify a contact. */
export function listContactIdentityMarks({ name, email, phone }: Contact): IdentityMark[] {
  return [...toNameMarks(name ?? null), ...[email, phone].flatMap((text) => (text ? [toIdentityMark(text)] : []))]
}

export interface Contact {
  name?: string | null
  email?: string | null
  phone?: string | null
}

function matchesContact(
  person: Contact,
  { name, email }: { name?: string | undefined; email?: string | undefined },
): boolean {
  if (email !== undefined) return person.email?.toLowerCase() === email.toLowerCase()
  return name !== undefined && person.name === name
}

// Returns the marks for a name. A name that is a single lowercase word is replaced only in name fields, because it is
// too common elsewhere.
function toNameMarks(name: string | null): IdentityMark[] {
  return name !== null && /[\s\p{Lu}]/u.test(name) ? [toIdentityMark(name)] : []
}

interface SweepContext extends EraseParts {
  organizationId: string
  marks: readonly IdentityMark[]
}

/** The number of rows that a statement searches. */
const WINDOW_ROWS = 1000

/** Replaces the marks in the tables. Returns the number of changed rows by table. */
export async function replaceMarksInTables(
  sweeping: SweepContext,
  includes: (table: string) => boolean,
): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  if (sweeping.marks.length === 0) return changed
  for (const table of await listOwnedTables(sweeping.database.statements)) {
    if (!includes(table.name) || table.name in UNSEARCHED_TABLES) continue
    const opaque = OPAQUE_COLUMNS[table.name] ?? []
    const texts = table.texts.filter(({ name }) => !opaque.includes(name))
    if (texts.length === 0 || table.key.length === 0) continue
    const count = await sweepTable(sweeping, { ...table, texts })
    if (count > 0) changed[table.name] = count
  }
  return changed
}

function replaceMarksSql(text: RawBuilder<unknown>, marks: readonly IdentityMark[]): RawBuilder<unknown> {
  return marks.reduce(
    (inner, { pattern, ignoresCase, neutral }) =>
      sql`regexp_replace(${inner}, ${pattern}, ${neutral}, ${ignoresCase ? 'gi' : 'g'})`,
    text,
  )
}

function containsMarksSql(text: RawBuilder<unknown>, marks: readonly IdentityMark[]): RawBuilder<unknown> {
  const found = marks.map(({ likes, pattern, ignoresCase }) => {
    const matches = ignoresCase ? sql`${text} ~* ${pattern}` : sql`${text} ~ ${pattern}`
    return sql`(${text} ilike any(${likes}::text[]) and ${matches})`
  })
  return sql`(${sql.join(found, sql` or `)})`
}

/** An additional replacement in the lines of archives, and the condition for it. */
export interface LineReplacement {
  where: RawBuilder<unknown>
  replaced(line: RawBuilder<unknown>): RawBuilder<unknown>
}

/**
 * Replaces the marks in the archives. Returns the number of changed files. The database also searches the files, so
 * that the same texts are found in files as in rows.
 */
export async function replaceMarksInArchives(
  sweeping: SweepContext,
  more?: LineReplacement,
): Promise<Record<string, number>> {
  const { database, clock, config, organizationId, marks } = sweeping
  if (marks.length === 0 && more === undefined) return {}
  const text = sql`l."line"`
  const found = marks.length === 0 ? sql`false` : containsMarksSql(text, marks)
  const before = more === undefined ? text : sql`case when ${more.where} then ${more.replaced(text)} else ${text} end`
  const changed = await rewriteArchives({
    ...{ database, clock, organizationId, files: openFiles(config) },
    async change(lines) {
      const { rows } = await database.transaction((trx) =>
        sql<{ place: number; line: string }>`
          select l."place"::int as "place", ${replaceMarksSql(before, marks)} as "line"
          from unnest(${[...lines]}::text[]) with ordinality as l ("line", "place")
          where ${found} or ${more?.where ?? sql`false`}`.execute(trx),
      )
      return new Map(rows.flatMap(({ place, line }) => (line === lines[place - 1] ? [] : [[place - 1, line] as const])))
    },
  })
  return changed === 0 ? {} : { archives: changed }
}

async function sweepTable(sweeping: SweepContext, table: OwnedTable): Promise<number> {
  const { database, organizationId, marks } = sweeping
  const found = table.texts.map(({ name }) => containsMarksSql(sql`${sql.ref(name)}::text`, marks))
  const key = sql.join(table.key.map((column) => sql.ref(column)))
  let changed = 0
  let last: unknown[] | null = null
  for (;;) {
    const window = await readWindow(database.statements, table, organizationId, last)
    if (window.length === 0) return changed
    const begin = last
    const end: unknown[] = window.at(-1) ?? []
    changed += await database.transaction((trx) =>
      replaceRows(
        trx,
        sweeping,
        table,
        sql`${begin === null ? sql`true` : sql`(${key}) > (${sql.join(begin)})`}
          and (${key}) <= (${sql.join(end)}) and (${sql.join(found, sql` or `)})`,
      ),
    )
    last = end
  }
}

// Reads the locked rows to compute the new texts. A distributed database rejects an update that computes them from
// columns that are not texts.
async function replaceRows(
  trx: Db,
  { organizationId, marks, clock }: SweepContext,
  table: OwnedTable,
  condition: RawBuilder<unknown>,
): Promise<number> {
  const replaced = table.texts.map(({ name }) => replaceMarksSql(sql`${sql.ref(name)}::text`, marks))
  const { rows } = await sql<{ key: unknown[]; texts: (string | null)[] }>`
    select json_build_array(${sql.join(table.key.map((column) => sql.ref(column)))}) as "key",
      array[${sql.join(replaced)}]::text[] as "texts"
    from ${sql.table(table.name)} where "organizationId" = ${organizationId} and ${condition} for update`.execute(trx)
  for (const row of rows) {
    const sets = table.texts.map(
      ({ name, type }, i) => sql`${sql.ref(name)} = ${row.texts[i] ?? null}::text::${sql.raw(type)}`,
    )
    if (table.isVersioned) sets.push(sql`"version" = "version" + 1, "updatedAt" = ${clock.now().toISOString()}`)
    const conditions = table.key.map((column, i) => sql`${sql.ref(column)} = ${row.key[i]}`)
    await sql`
      update ${sql.table(table.name)} set ${sql.join(sets)}
      where "organizationId" = ${organizationId} and ${sql.join(conditions, sql` and `)}`.execute(trx)
  }
  return rows.length
}

async function readWindow(
  db: Db,
  table: OwnedTable,
  organizationId: string,
  last: unknown[] | null,
): Promise<unknown[][]> {
  const key = sql.join(table.key.map((column) => sql.ref(column)))
  const { rows } = await sql<Record<string, unknown>>`
    select ${key} from ${sql.table(table.name)}
    where "organizationId" = ${organizationId} and ${last === null ? sql`true` : sql`(${key}) > (${sql.join(last)})`}
    order by ${key} limit ${WINDOW_ROWS}`.execute(db)
  return rows.map((row) => table.key.map((column) => row[column]))
}

export function addCounts(counts: Record<string, number>, added: Record<string, number>): void {
  for (const [table, count] of Object.entries(added)) counts[table] = (counts[table] ?? 0) + count
}
