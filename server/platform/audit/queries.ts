import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry, LinkCopier } from '../../../client/contract.gen.ts'
import type { Tenant } from '../calls/call.ts'
import type { Input } from '../calls/operation.ts'
import { createCursorProblem, decodeCursor, encodeCursor, type PagePosition } from '../calls/page.ts'
import { getIdRange, getResourceType } from './resource-prefixes.ts'

type AuditQuery = Input<'listAuditEntries'>['query']

/**
 * The audit trail consists of two tables: the events in the order of their sequences, and the entries for changes
 * without an event in the order of their IDs. Each table is read with its own index. The rows of both are merged by the
 * times in their IDs. A cursor contains the position in each table, so no row is omitted or repeated.
 *
 * This constant is the maximum number of rows that one request reads from each table if there is no index for a filter,
 * regardless of how many of the rows match.
 */
const ROWS_PER_READ = 5000

/** A position in a table, which is the sequence of an event or the ID of an entry; null before the first row. */
type SourcePosition = string | number | null

interface PlacedEntry {
  place: Exclude<SourcePosition, null>
  entry: AuditEntry
}

interface SourceReader {
  found: PlacedEntry[]
  /** The position of the last row that was searched; null if there are no more rows. */
  end: SourcePosition
}

interface AuditRow {
  place: string | number
  id: string
  at: string
  actorType: AuditEntry['actor']['type']
  actorId: string | null
  actorVia: AuditEntry['actor']['via'] | null
  actorCopiedBy: LinkCopier | null
  action: string
  resourceId: string
  changed: string[]
  eventId: string | null
  outcome: AuditEntry['outcome']
  reason: string | null
  count: number
  address: string | null
  requestId: string | null
}

/** One of the two tables of the audit trail, with the SQL for reading it. */
interface AuditSource {
  table: string
  place: string
  at: string
  /** Returns SQL for the value of this table that corresponds to the ID of an entry. */
  idOf(id: string): string
  always: RawBuilder<unknown> | null
  action: string
  /** The columns that filters use. Excludes columns that have the same name in both tables. */
  filtered: RawBuilder<unknown>
  columns: RawBuilder<unknown>
  /** Returns a condition for the rows with this outcome. */
  outcome(requested: AuditEntry['outcome']): RawBuilder<unknown>
}

const EVENTS: AuditSource = {
  table: 'events',
  place: 'sequence',
  at: 'occurredAt',
  idOf: (id) => id.replace(/^aud_/, 'evt_'),
  always: sql`"sequence" is not null`,
  action: 'type',
  filtered: sql`"type"`,
  columns: sql`'aud_' || substr("id", 5) as "id", "occurredAt" as "at", "payload"::json #>> '{actor,type}' as "actorType", "actorId",
    "payload"::json #> '{actor,via}' as "actorVia", "payload"::json #> '{actor,copiedBy}' as "actorCopiedBy", "type" as "action", "resourceId", "changedFields"("payload") as "changed", "id" as "eventId", 'done' as "outcome",
    null as "reason", 1 as "count", "address", "requestId"`,
  outcome: (requested) => (requested === 'done' ? sql`true` : sql`false`),
}

const ENTRIES: AuditSource = {
  table: 'auditEntries',
  place: 'id',
  at: 'at',
  idOf: (id) => id,
  always: null,
  action: 'action',
  filtered: sql`"action", "outcome"`,
  columns: sql`"id", "at", "actorType", "actorId", ${selectGrant()} as "actorVia", ${selectCopier()} as "actorCopiedBy", "action", "resourceId", "changed", null as "eventId", "outcome", "reason",
    "count", "address", "requestId"`,
  outcome: (requested) => sql`"outcome" = ${requested}`,
}

// The name of an app is stored only in its grant.
function selectGrant(): RawBuilder<unknown> {
  return sql`(select json_build_object('grantId', g."id", 'client', g."clientName") from "oauthGrants" as g
    where g."organizationId" = "auditEntries"."organizationId" and g."id" = "actorGrantId")`
}

// An entry contains only IDs, so it shows the current name of the user or API key.
function selectCopier(): RawBuilder<unknown> {
  return sql`case when "actorCopierId" like 'usr\\_%' then
      (select json_build_object('type', 'user', 'id', u."id", 'name', u."name") from "users" as u
        where u."organizationId" = "auditEntries"."organizationId" and u."id" = "actorCopierId")
    when "actorCopierId" is not null then
      (select json_build_object('type', 'key', 'id', k."id", 'name', k."name") from "apiKeys" as k
        where k."organizationId" = "auditEntries"."organizationId" and k."id" = "actorCopierId") end`
}

export async function listAuditEntries(
  call: Tenant,
  query: AuditQuery,
): Promise<{ data: AuditEntry[]; nextCursor: string | null }> {
  const { limit, sort } = query
  const start =
    query.cursor === undefined ? { event: null, entry: null } : positionsOf(decodeCursor(sort, query.cursor))
  const [events, entries] = await Promise.all([
    readSource(call, EVENTS, query, start.event),
    readSource(call, ENTRIES, query, start.entry),
  ])
  const isDescending = sort.startsWith('-')
  const data: AuditEntry[] = []
  const [event, entry] = [streamEntries(events, start.event), streamEntries(entries, start.entry)]
  while (data.length < limit) {
    const [a, b] = [event.next(), entry.next()]
    // The rows after the last searched row are not known, and may precede the rows of the other table.
    if ((a === undefined && event.goesOn()) || (b === undefined && entry.goesOn())) break
    if (a === undefined && b === undefined) break
    const first = b === undefined || (a !== undefined && comesBefore(a, b, isDescending)) ? event : entry
    const taken = first.take()
    if (taken !== undefined) data.push(taken.entry)
  }
  if (event.isDone() && entry.isDone()) return { data, nextCursor: null }
  return { data, nextCursor: encodeCursor(sort, { value: event.place(), id: String(entry.place() ?? '') }) }
}

function streamEntries({ found, end }: SourceReader, start: SourcePosition) {
  let at = 0
  return {
    next: () => found[at],
    take: () => found[at++],
    goesOn: () => end !== null,
    isDone: () => at >= found.length && end === null,
    place(): SourcePosition {
      // If all matches are used, all searched rows count as read.
      if (at >= found.length && end !== null) return end
      return found[at - 1]?.place ?? start
    },
  }
}

// Compares IDs. IDs end with 26 characters that consist of the time and a random part.
function comesBefore(a: PlacedEntry, b: PlacedEntry, isDescending: boolean): boolean {
  return a.entry.id > b.entry.id === isDescending
}

function positionsOf({ value, id }: PagePosition): { event: SourcePosition; entry: SourcePosition } {
  if (value !== null && !Number.isSafeInteger(value)) throw createCursorProblem()
  return { event: value, entry: id === '' ? null : id }
}

async function readSource(
  { db, organizationId }: Tenant,
  source: AuditSource,
  query: AuditQuery,
  start: SourcePosition,
): Promise<SourceReader> {
  const { limit, sort } = query
  const [place, at] = [sql.ref(source.place), sql.ref(source.at)]
  const [direction, beyond, last] = sort.startsWith('-') ? [sql`desc`, sql`<`, sql`min`] : [sql`asc`, sql`>`, sql`max`]
  const indexed = [sql`"organizationId" = ${organizationId}`]
  if (source.always !== null) indexed.push(source.always)
  if (start !== null) indexed.push(sql`${place} ${beyond} ${start}`)
  if (query.resourceId !== undefined) indexed.push(sql`"resourceId" = ${query.resourceId}`)
  for (const since of [query.updatedAfter, query.createdAfter]) {
    if (since !== undefined) indexed.push(sql`${at} >= ${since}`)
  }
  if (query.createdBefore !== undefined) indexed.push(sql`${at} < ${query.createdBefore}`)
  if (query.ids !== undefined) indexed.push(sql`"id" = any(${query.ids.map(source.idOf)})`)

  const filters: RawBuilder<unknown>[] = []
  if (query.action !== undefined) filters.push(sql`${sql.ref(source.action)} = ${query.action}`)
  if (query.actorId !== undefined) filters.push(sql`"actorId" = ${query.actorId}`)
  if (query.address !== undefined) filters.push(sql`"address" = ${query.address}`)
  if (query.outcome !== undefined) filters.push(source.outcome(query.outcome))
  if (query.resourceType !== undefined) {
    const { from, to } = getIdRange(query.resourceType)
    filters.push(sql`"resourceId" >= ${from} and "resourceId" < ${to}`)
  }
  // Without a filter, read one row more than the page has, to detect whether there is another page. With a filter,
  // search a fixed number of rows.
  const max = filters.length === 0 ? limit + 1 : ROWS_PER_READ
  const { rows } = await sql<AuditRow & { end: SourcePosition; read: number }>`
    with stretch as materialized (
      select "id", ${place} as "place", "actorId", "resourceId", "address", ${source.filtered} from ${sql.table(source.table)}
      where ${sql.join(indexed, sql` and `)} order by ${place} ${direction} limit ${max}
    ), found as (
      select "id" from stretch where ${filters.length === 0 ? sql`true` : sql.join(filters, sql` and `)}
      order by "place" ${direction} limit ${limit + 1}
    ), entry as (
      select ${place} as "place", ${source.columns} from ${sql.table(source.table)}
      where "organizationId" = ${organizationId} and "id" = any(array(select "id" from found))
    )
    select s."read", s."end", e.*
    from (select count(*)::int as "read", ${last}("place") as "end" from stretch) as s left join entry as e on true
    order by e."place" ${direction}`.execute(db)
  const found = rows.filter((row) => row.id !== null).map((row) => ({ place: row.place, entry: toEntry(row) }))
  const isCut = found.length > limit || (rows[0]?.read ?? 0) >= max
  return { found, end: !isCut ? null : ((found.length > limit ? found.at(-1)?.place : rows[0]?.end) ?? null) }
}

function toEntry(row: AuditRow): AuditEntry {
  const { id, at, actorType, actorId, actorVia, actorCopiedBy, action, resourceId } = row
  const actor = {
    ...{ type: actorType, id: actorId, ...(actorVia !== null && { via: actorVia }) },
    ...(actorCopiedBy !== null && { source: 'portal_copied_link' as const, copiedBy: actorCopiedBy }),
  }
  const { changed, eventId, outcome, reason, count, address, requestId } = row
  return {
    ...{ id, at, actor, action, resourceType: getResourceType(resourceId), resourceId },
    ...{ changed, eventId, outcome, reason, count, address, requestId },
  }
}
