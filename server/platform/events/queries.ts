import { type RawBuilder, sql } from 'kysely'
import { TypeID } from 'typeid-js'
import type { Event, StatusChange } from '../../../client/contract.gen.ts'
import { type Call, isWriteCall, type Tenant } from '../calls/call.ts'
import { Json } from '../calls/json.ts'
import type { Input } from '../calls/operation.ts'
import { countItemsThatFit, invalidCursor, readCursor, toPage, writeCursor } from '../calls/page.ts'
import { limitForPage } from '../database/page-limits.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'
import { Problem } from '../problems/problem.ts'
import { storePendingRows } from './pending-rows.ts'

/**
 * Events are read in the order of `sequence`. The dispatcher assigns it after the commit, one event after the other, so
 * nothing ever appears before what has already been read. An event without one is not listed yet.
 */
type EventQuery = Omit<Input<'listEvents'>['query'], 'after' | 'wait'>

interface EventRecord {
  id: string
  sequence: number | null
  payload: string
}

/** The page query returns only the length of a long event. Most pages have none. */
interface ListedRow extends Omit<EventRecord, 'payload'> {
  payload: string | null
  bytes: number
}
const MAX_SHORT_BYTES = 5000

/** @param readable the types that may be returned; null means all */
export async function listEvents(
  call: Call,
  query: EventQuery,
  afterSequence: number | null,
  readable: readonly string[] | null,
): Promise<Json<{ data: Event[]; nextCursor: string | null }>> {
  const { limit, sort } = query
  const position = query.cursor === undefined ? null : readCursor(sort, query.cursor)
  const [direction, beyond] = sort.startsWith('-') ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const conditions = [sql`"organizationId" = ${call.organizationId}`, sql`"sequence" is not null`, whereReadable(call)]
  if (afterSequence !== null) conditions.push(sql`"sequence" > ${afterSequence}`)
  if (query.type !== undefined) conditions.push(sql`"type" = ${query.type}`)
  if (query.resourceId !== undefined) conditions.push(sql`"resourceId" = ${query.resourceId}`)
  // An event never changes, so both filters use the time at which it happened.
  const since = [query.updatedAfter, query.createdAfter].filter((each) => each !== undefined)
  for (const each of since)
    conditions.push(sql`"occurredAt" >= ${each}`, sql`"sequence" > ${await findSequenceBefore(call, each)}`)
  if (query.ids !== undefined) conditions.push(sql`"id" = any(${query.ids})`)
  if (position !== null) {
    if (!Number.isSafeInteger(position.value)) throw invalidCursor()
    if (!sort.startsWith('-')) await assertNoGap(call, Number(position.value))
    conditions.push(sql`"sequence" ${beyond} ${position.value}`)
  }
  const order = sql`order by "sequence" ${direction} limit ${limitForPage(limit)}`
  const isNamed = query.resourceId !== undefined || query.ids !== undefined || query.type !== undefined
  const { rows } = await sql<ListedRow>`
    select "id", "sequence", octet_length("payload") as "bytes",
      case when octet_length("payload") <= ${sql.lit(MAX_SHORT_BYTES)} then "payload" end as "payload" from "events"
    where ${readable !== null && !isNamed ? selectByTypes(call, readable, conditions, order) : whereTypeIn(readable, conditions)}
    ${order}${sql.raw(since.length > 0 ? PLAN_EACH_TIME : '')}`.execute(call.db)
  const sizes = rows.map(({ bytes }) => bytes)
  const data = rows.slice(0, countItemsThatFit(sizes, limit))
  const last = data.at(-1)
  const nextCursor =
    data.length === rows.length || last === undefined ? null : writeCursor(sort, { value: last.sequence, id: last.id })
  const long = await findPayloads(
    call,
    data.filter(({ payload }) => payload === null),
  )
  const texts = data.flatMap(({ id, sequence, payload }) => {
    const text = payload ?? long.get(id)
    // The event may have been deleted between the two queries, at the end of its retention.
    return text === undefined ? [] : `{"sequence":${sequence},${text.slice(1)}`
  })
  return new Json(`{"data":[${texts.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`, nextCursor)
}

/**
 * Returns the sequence of the last event that was recorded well before a time, or 0. Every event since that time has a
 * greater one, so earlier events need not be read. Event IDs sort by the time of recording, and events are numbered in
 * nearly that order: two can be swapped by no more than the length of a transaction and the difference between the
 * clocks of two processes.
 */
async function findSequenceBefore({ db, organizationId }: Tenant, since: string): Promise<number> {
  const first = firstIdSince((Date.parse(since) || 0) - MAX_DISORDER_MS)
  const { rows } = await sql<{ sequence: number }>`
    select "sequence" from "events"
    where "organizationId" = ${organizationId} and "id" < ${first} and "sequence" is not null
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.sequence ?? 0
}

const MAX_DISORDER_MS = 3_600_000

/** Returns the smallest ID of an event recorded at this time or later. */
export function firstIdSince(ms: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, ms), 0, 6)
  return TypeID.fromUUIDBytes('evt', bytes).toString()
}

/** Returns the condition that the caller has the permissions of an event in addition to that of its type. */
function whereReadable({ permissions }: Call): RawBuilder<unknown> {
  return sql`("permissions" is null or "permissions" <@ ${[...permissions]}::text[])`
}

async function findPayloads(call: Tenant, rows: readonly { id: string }[]): Promise<Map<string, string>> {
  if (rows.length === 0) return new Map()
  const found = await sql<{ id: string; payload: string }>`
    select "id", "payload" from "events"
    where "organizationId" = ${call.organizationId} and "id" = any(${rows.map(({ id }) => id)})`.execute(call.db)
  return new Map(found.rows.map(({ id, payload }) => [id, payload]))
}

/**
 * Throws if events after the position were deleted, because a client that continues there would miss some without
 * knowing it. An organization's sequences have no gaps, so nothing is missing if the first remaining event directly
 * follows what was read.
 */
async function assertNoGap(call: Tenant, readTo: number): Promise<void> {
  const { rows } = await sql<{ first: number }>`
    select coalesce(
      (select min("sequence") from "events" where "organizationId" = ${call.organizationId} and "sequence" is not null),
      (select "lastEventSequence" + 1 from "organizations" where "id" = ${call.organizationId})) as "first"`.execute(
    call.db,
  )
  if ((rows[0]?.first ?? 0) <= readTo + 1) return
  const message = 'points to events that are no longer kept'
  throw new Problem(
    'invalid_cursor',
    'The cursor points to events that are no longer kept. Start again without a cursor.',
    {
      errors: [{ pointer: 'cursor', code: 'no_longer_kept', message }],
    },
  )
}

// These filters match few rows, or a single type, so checking each row is cheap.
function whereTypeIn(readable: readonly string[] | null, conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  const types = readable === null ? [] : [sql`"type" = any(${readable})`]
  return sql.join([...conditions, ...types], sql` and `)
}

// Takes a page per type, and the first rows of those. It costs the same however rare the readable events are.
function selectByTypes(
  { organizationId }: Tenant,
  readable: readonly string[],
  conditions: RawBuilder<unknown>[],
  order: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`"organizationId" = ${organizationId} and "sequence" = any(array(
    select found."sequence" from unnest(${readable}::text[]) as readable ("readableType")
    cross join lateral (
      select "sequence" from "events" where "type" = readable."readableType" and ${sql.join(conditions, sql` and `)} ${order}
    ) found ${order}))`
}

/** Returns the position of an event, whoever may read it; undefined if it does not exist. */
export async function findSequence(
  { db, organizationId }: Tenant,
  id: string,
): Promise<Pick<EventRecord, 'sequence'> | undefined> {
  const { rows } = await sql<Pick<EventRecord, 'sequence'>>`
    select "sequence" from "events" where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  return rows[0]
}

// Here and below, a step of a batch may read what earlier steps recorded.
export async function findEvent(call: Call, id: string): Promise<Event | undefined> {
  if (isWriteCall(call)) await storePendingRows(call)
  const { rows } = await sql<EventRecord>`
    select "id", "sequence", "payload" from "events"
    where "organizationId" = ${call.organizationId} and "id" = ${id} and ${whereReadable(call)}`.execute(call.db)
  return rows[0] === undefined ? undefined : toEvent(rows[0])
}

function toEvent({ sequence, payload }: EventRecord): Event {
  return { ...(JSON.parse(payload) as Omit<Event, 'sequence'>), sequence }
}

/** IDs are in the order of creation, so sorting by ID gives a resource's status changes in order. */
export async function listStatusChanges(
  call: Call,
  query: Input<'listStatusChanges'>['query'],
): Promise<{ data: StatusChange[]; nextCursor: string | null }> {
  const { limit, sort } = query
  const position = query.cursor === undefined ? null : readCursor(sort, query.cursor)
  const [direction, beyond] = sort.startsWith('-') ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const conditions = [sql`"organizationId" = ${call.organizationId}`, sql`"resourceId" = ${query.resourceId}`]
  for (const since of [query.updatedAfter, query.createdAfter]) {
    if (since !== undefined) conditions.push(sql`"at" >= ${since}`)
  }
  if (query.ids !== undefined) conditions.push(sql`"id" = any(${query.ids})`)
  if (position !== null) conditions.push(sql`"id" ${beyond} ${position.id}`)
  if (isWriteCall(call)) await storePendingRows(call)
  const { rows } = await sql<StatusChange>`
    select "id", "from", "to", "at", "by", "reason" from "statusChanges"
    where ${sql.join(conditions, sql` and `)} order by "id" ${direction} limit ${limitForPage(limit)}`.execute(call.db)
  return toPage(rows, limit, sort, () => null)
}
