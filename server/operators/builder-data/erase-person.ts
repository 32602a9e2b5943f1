import { type RawBuilder, sql } from 'kysely'
import { updateUser } from '../../domain/office/users/users.ts'
import { rewriteArchives } from '../../platform/archives/rewrite-archives.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { listOwnedTables, type OwnedTable } from '../../platform/database/owned-tables.ts'
import { openFiles } from '../../platform/files/files.ts'
import { deleteUnusedIdentities } from '../../platform/keys/delete-old-identities.ts'
import { revokeAllLinks } from '../../platform/keys/portal-links.ts'
import { notFound, validationFailed } from '../../platform/problems/problem.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { waitUntilIndexed } from '../../platform/search/index-changes.ts'
import { type Mark, NEUTRAL_TEXTS, toMark } from './identity-marks.ts'

/**
 * The result of erasing a person: a user of the builder, a contact of one of its vendors, a lead, or a buyer.
 * Identifying texts (name, email address, phone number, and other texts that the operator specifies) are replaced
 * wherever they occur in the builder's rows: records, messages, reasons, event payloads, stored responses of receivers;
 * and in the archives of deleted rows. IDs stay, so that the history remains consistent.
 *
 * The columns come from the database's catalog, so that later ones are not forgotten.
 */
export interface ErasedPerson {
  organizationId: string
  id: string
  /** Number of changed rows by table, and of changed files as `archives`. */
  changed: Record<string, number>
}

/** Tables that are not searched, with the reason. */
export const UNSEARCHED_TABLES: Record<string, string> = {
  archives: 'Contains only kind names and hashes. Personal data is replaced in the archived files.',
  auditEntries: 'Contains only IDs, field names, and IP addresses, and cannot be changed.',
  fileArrivals: 'The content of files, which is not searched for names.',
  postings: 'Contains only IDs, amounts and generated notes, and cannot be changed.',
  idempotencyRecords: 'Stored responses are encrypted and deleted within 24 hours.',
}

/** Columns without text written by people. */
export const OPAQUE_COLUMNS: Record<string, readonly string[]> = {
  webhooks: ['secret', 'previousSecret'],
  apiKeySecrets: ['start'],
  portalAddresses: ['sealedToken'],
  mails: ['sealedLink'],
}

export interface EraseParts {
  database: Database
  clock: Clock
  /** The location of the files. */
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
    ...(isErased ? [] : [toMark(user.email, address), ...toNameMarks(user.name)]),
    ...(user.phone === null ? [] : [toMark(user.phone)]),
    ...also.map((text) => toMark(text)),
  ]
  // First, to end their access. Throws if the builder would have no owner left.
  await updateUser(database, clock, id, { status: 'disabled' })
  const { organizationId } = user
  const sweeping = { database, clock, config, organizationId, marks }
  const changed = await sweepTables(sweeping, (table) => table !== 'users')
  addCounts(changed, await sweepArchives(sweeping))
  // Last, because repeating an interrupted run depends on this row's values.
  await updateUser(database, clock, id, { name: NEUTRAL_TEXTS.name, email: address, phone: null })
  await deleteUnusedIdentities(database)
  addCounts(changed, { users: 1 })
  addCounts(changed, await sweepTables(sweeping, (table) => table !== 'users'))
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
  // The portal links in the mailbox of the erased person must not remain valid.
  if (people.some((person) => person.email && matchesContact(person, requested))) {
    const { database, clock } = parts
    await revokeAllLinks({ db: database.statements, organizationId, now: clock.now() }, [vendorId])
  }
  return eraseFromPeople(parts, { organizationId, id: vendorId, table: 'vendors' }, people, requested)
}

export async function eraseBuyer(parts: EraseParts, saleId: string, requested: ContactQuery): Promise<ErasedPerson> {
  assertPersonNamed(requested)
  const sale = await parts.database.statements
    .selectFrom('sales')
    .select(['organizationId', 'buyers'])
    .where('id', '=', saleId)
    .executeTakeFirst()
  if (sale === undefined) throw notFound()
  const at = { organizationId: sale.organizationId, id: saleId, table: 'sales' }
  return eraseFromPeople(parts, at, sale.buyers as unknown as Contact[], requested)
}

function assertPersonNamed({ name, email, also }: ContactQuery): void {
  if (name !== undefined || email !== undefined || also.length > 0) return
  throw validationFailed([
    { pointer: '--email', code: 'required', message: 'is required unless --name or --also is set' },
  ])
}

/** Erases those people of a record who match. */
async function eraseFromPeople(
  { database, clock, config }: EraseParts,
  { organizationId, id, table: of }: { organizationId: string; id: string; table: string },
  among: readonly Contact[],
  requested: ContactQuery,
): Promise<ErasedPerson> {
  const people = among.filter((person) => matchesContact(person, requested))
  if (people.length === 0 && requested.also.length === 0) throw notFound()
  const marks = [...people.flatMap(listContactMarks), ...requested.also.map((text) => toMark(text))]
  const sweeping = { database, clock, config, organizationId, marks }
  // The record comes last, because repeating an interrupted run depends on its row's values.
  const changed = await sweepTables(sweeping, (table) => table !== of && table !== 'users')
  addCounts(changed, await sweepArchives(sweeping))
  addCounts(changed, await sweepTables(sweeping, (table) => table === of))
  addCounts(changed, await sweepTables(sweeping, (table) => table !== 'users'))
  await waitUntilIndexed(database, organizationId)
  return { organizationId, id, changed }
}

/** Returns the texts that identify a contact. */
export function listContactMarks({ name, email, phone }: Contact): Mark[] {
  return [...toNameMarks(name ?? null), ...[email, phone].flatMap((text) => (text ? [toMark(text)] : []))]
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

// A name that is one lowercase word is replaced only in name fields, and not searched for elsewhere.
function toNameMarks(name: string | null): Mark[] {
  return name !== null && /[\s\p{Lu}]/u.test(name) ? [toMark(name)] : []
}

interface SweepContext extends EraseParts {
  organizationId: string
  marks: readonly Mark[]
}

/** Rows searched per statement. */
const WINDOW_ROWS = 1000

/** Replaces the marks in the tables, and returns the number of changed rows in each. */
export async function sweepTables(
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

function replaceMarksSql(text: RawBuilder<unknown>, marks: readonly Mark[]): RawBuilder<unknown> {
  return marks.reduce(
    (inner, { pattern, ignoresCase, neutral }) =>
      sql`regexp_replace(${inner}, ${pattern}, ${neutral}, ${ignoresCase ? 'gi' : 'g'})`,
    text,
  )
}

function containsMarksSql(text: RawBuilder<unknown>, marks: readonly Mark[]): RawBuilder<unknown> {
  const found = marks.map(({ likes, pattern, ignoresCase }) => {
    const matches = ignoresCase ? sql`${text} ~* ${pattern}` : sql`${text} ~ ${pattern}`
    return sql`(${text} ilike any(${likes}::text[]) and ${matches})`
  })
  return sql`(${sql.join(found, sql` or `)})`
}

/** An additional replacement in the lines of archives, with its condition. */
export interface LineReplacement {
  where: RawBuilder<unknown>
  replaced(line: RawBuilder<unknown>): RawBuilder<unknown>
}

/**
 * Replaces the marks in the archives, and returns the number of changed files. The database does the matching here too,
 * so that a text is found in a file exactly if it would be found in a row.
 */
export async function sweepArchives(sweeping: SweepContext, more?: LineReplacement): Promise<Record<string, number>> {
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
  const { database, clock, organizationId, marks } = sweeping
  const key = sql.join(table.key.map((column) => sql.ref(column)))
  const sets = table.texts.map(
    ({ name, type }) =>
      sql`${sql.ref(name)} = ${replaceMarksSql(sql`${sql.ref(name)}::text`, marks)}::${sql.raw(type)}`,
  )
  if (table.isVersioned) sets.push(sql`"version" = "version" + 1, "updatedAt" = ${clock.now().toISOString()}`)
  const found = table.texts.map(({ name }) => containsMarksSql(sql`${sql.ref(name)}::text`, marks))
  let changed = 0
  let last: unknown[] | null = null
  for (;;) {
    const window = await readWindow(database.statements, table, organizationId, last)
    if (window.length === 0) return changed
    const begin = last
    const end: unknown[] = window.at(-1) ?? []
    const { numAffectedRows = 0n } = await database.transaction((trx) =>
      sql`update ${sql.table(table.name)} set ${sql.join(sets)}
        where "organizationId" = ${organizationId} and ${begin === null ? sql`true` : sql`(${key}) > (${sql.join(begin)})`}
          and (${key}) <= (${sql.join(end)}) and (${sql.join(found, sql` or `)})`.execute(trx),
    )
    changed += Number(numAffectedRows)
    last = end
  }
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

export function addCounts(to: Record<string, number>, more: Record<string, number>): void {
  for (const [table, count] of Object.entries(more)) to[table] = (to[table] ?? 0) + count
}
