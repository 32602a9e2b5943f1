import { type RawBuilder, sql } from 'kysely'
import { TypeID } from 'typeid-js'
import type { Event, StatusChange } from '../../../client/contract.gen.ts'
import { type Call, isWriteCall, type Tenant } from '../calls/call.ts'
import { Json } from '../calls/json.ts'
import type { Input } from '../calls/operation.ts'
import { countItemsThatFit, createCursorProblem, decodeCursor, encodeCursor, toPage } from '../calls/page.ts'
import { toFetchLimitSql } from '../database/page-limits.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'
import { Problem } from '../problems/problem.ts'
import { storePendingRows } from './pending-rows.ts'

/**
 * Events are listed in the order of `sequence`. One dispatcher at a time assigns the sequences after the commit, so a
 * new event never appears before events that have already been read. An event without a sequence is not listed yet.
 */
type EventQuery = Omit<Input<'listEvents'>['query'], 'after' | 'wait'>

interface EventRecord {
  id: string
  sequence: number | null
  payload: string
}

/**
 * For a long event, the query of the page returns only the length of the payload. Most pages contain no long events.
 */
interface ListedRow extends Omit<EventRecord, 'payload'> {
  payload: string | null
  bytes: number
}
const MAX_SHORT_BYTES = 5000

/**
 * Lists events in the order of their sequences.
 *
 * @param readable the event types that may be returned; null means all types
 */
export async function listEvents(
  call: Call,
  query: EventQuery,
  afterSequence: number | null,
  readable: readonly string[] | null,
): Promise<Json<{ data: Event[]; nextCursor: string | null }>> {
  const { limit, sort } = query
  const position = query.cursor === undefined ? null : decodeCursor(sort, query.cursor)
  const [direction, beyond] = sort.startsWith('-') ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const conditions = [sql`"organizationId" = ${call.organizationId}`, sql`"sequence" is not null`, whereReadable(call)]
  if (afterSequence !== null) conditions.push(sql`"sequence" > ${afterSequence}`)
  if (query.type !== undefined) conditions.push(sql`"type" = ${query.type}`)
  if (query.resourceId !== undefined) conditions.push(sql`"resourceId" = ${query.resourceId}`)
  // Events never change, so the filters for creation and update both use the time of the event.
  const since = [query.updatedAfter, query.createdAfter].filter((each) => each !== undefined)
  for (const each of since)
    conditions.push(sql`"occurredAt" >= ${each}`, sql`"sequence" > ${await findSequenceBefore(call, each)}`)
  if (query.ids !== undefined) conditions.push(sql`"id" = any(${query.ids})`)
  if (position !== null) {
    if (!Number.isSafeInteger(position.value)) throw createCursorProblem()
    if (!sort.startsWith('-')) await assertNoGap(call, Number(position.value))
    conditions.push(sql`"sequence" ${beyond} ${position.value}`)
  }
  const order = sql`order by "sequence" ${direction} limit ${toFetchLimitSql(limit)}`
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
    data.length === rows.length || last === undefined ? null : encodeCursor(sort, { value: last.sequence, id: last.id })
  const long = await findPayloads(
    call,
    data.filter(({ payload }) => payload === null),
  )
  const texts = data.flatMap(({ id, sequence, payload }) => {
    const text = payload ?? long.get(id)
    // The event may have been deleted between the two queries, because its retention period has ended.
    return text === undefined ? [] : `{"sequence":${sequence},${text.slice(1)}`
  })
  return new Json(`{"data":[${texts.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`, nextCursor)
}

/**
 * Returns the sequence of the last event that was recorded well before the given time; 0 if there is none. All events
 * since that time have greater sequences, so earlier events do not have to be read. IDs of events are in the order of
 * recording, and the sequences are in nearly the same order. The order of two events can differ only within the
 * duration of a transaction plus the difference between the clocks of two processes.
 */
async function findSequenceBefore({ db, organizationId }: Tenant, since: string): Promise<number> {
  const first = computeFirstIdSince((Date.parse(since) || 0) - MAX_DISORDER_MS)
  const { rows } = await sql<{ sequence: number }>`
    select "sequence" from "events"
    where "organizationId" = ${organizationId} and "id" < ${first} and "sequence" is not null
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.sequence ?? 0
}

const MAX_DISORDER_MS = 3_600_000

/** Returns the smallest possible ID of an event that was recorded at or after this time. */
export function computeFirstIdSince(ms: number): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, ms), 0, 6)
  return TypeID.fromUUIDBytes('evt', bytes).toString()
}

/**
 * Returns the SQL condition that the caller has the additional permissions that an event requires besides that of its
 * type.
 */
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
 * Throws if events after the position have been deleted. A client that continues from there would miss these events
 * without noticing. The sequences of an organization have no gaps, so no event is missing if the first remaining event
 * directly follows the position.
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

// There are few matching rows or only one type, so checking each row is fast.
function whereTypeIn(readable: readonly string[] | null, conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  const types = readable === null ? [] : [sql`"type" = any(${readable})`]
  return sql.join([...conditions, ...types], sql` and `)
}

// Reads a page of each type, and returns the first rows of all of them. The cost does not depend on how rare readable
// events are.
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

/** Returns the position of an event, even if the caller may not read it; undefined if the event does not exist. */
export async function findEventSequence(
  { db, organizationId }: Tenant,
  id: string,
): Promise<Pick<EventRecord, 'sequence'> | undefined> {
  const { rows } = await sql<Pick<EventRecord, 'sequence'>>`
    select "sequence" from "events" where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  return rows[0]
}

// In this and the next functions, stores pending rows first, so that a step of a batch can read rows of earlier steps.
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

/** Lists the status changes of a resource in order, sorted by ID. IDs are in the order of creation. */
export async function listStatusChanges(
  call: Call,
  query: Input<'listStatusChanges'>['query'],
): Promise<{ data: StatusChange[]; nextCursor: string | null }> {
  const { limit, sort } = query
  const position = query.cursor === undefined ? null : decodeCursor(sort, query.cursor)
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
    where ${sql.join(conditions, sql` and `)} order by "id" ${direction} limit ${toFetchLimitSql(limit)}`.execute(
    call.db,
  )
  return toPage(rows, limit, sort, () => null)
}
