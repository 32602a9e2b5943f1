import { CompiledQuery, sql } from 'kysely'
import { type EventRow, recordChange, type StatusChangeRow, type WriteCall } from '../calls/call.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'

/** The maximum number of rows per statement. Most payloads have a few kB, and some are far larger. */
const MAX_ROWS_PER_STATEMENT = 100
/**
 * Enough for most transactions. The service prepares a separate statement for each number of rows up to this maximum.
 */
const MAX_PREPARED_ROWS = 8

/** Adds events to those that the transaction has collected. */
export async function queueEvents(call: WriteCall, rows: readonly EventRow[]): Promise<void> {
  for (const row of rows) {
    call.pendingRows.events.push(row)
    if (call.pendingRows.events.length >= MAX_ROWS_PER_STATEMENT) await storePendingRows(call)
  }
}

export async function queueStatusChanges(call: WriteCall, rows: readonly StatusChangeRow[]): Promise<void> {
  for (const row of rows) {
    call.pendingRows.statusChanges.push(row)
    if (call.pendingRows.statusChanges.length >= MAX_ROWS_PER_STATEMENT) await storePendingRows(call)
  }
}

/**
 * Stores the rows that a transaction has collected, with one statement for the events and one for the status changes.
 * Must be called before the transaction commits, before each savepoint, and before the rows are read.
 */
export async function storePendingRows({ db, organizationId, pendingRows }: WriteCall): Promise<void> {
  const events = pendingRows.events.splice(0)
  const changes = pendingRows.statusChanges.splice(0)
  if (events.length > 0) await db.executeQuery(insertEvents(organizationId, events))
  if (changes.length > 0) {
    const rows = changes.map(({ at, by, ...rest }) => ({ ...rest, at: at.toISOString(), by: JSON.stringify(by) }))
    await db.executeQuery(insertStatusChanges(organizationId, rows))
  }
}

const insertEvents = buildInsert<EventRow>('events', [
  ...(['id', 'type', 'resourceId', 'actorId', 'payload', 'occurredAt', 'requestId', 'address'] as const),
  'permissions',
])
const insertStatusChanges = buildInsert<Omit<StatusChangeRow, 'at' | 'by'> & { at: string; by: string }>(
  'statusChanges',
  ['id', 'resourceId', 'from', 'to', 'at', 'by', 'reason'],
)

/**
 * Returns a function that builds the statement for inserting rows of one organization in order. Passes JSON as text, so
 * that it stays the same byte for byte.
 */
function buildInsert<Row>(
  table: string,
  columns: readonly Exclude<keyof Row, 'organizationId'>[],
): (organizationId: string, rows: readonly Row[]) => CompiledQuery {
  const into = `insert into "${table}" ("organizationId", ${columns.map((column) => `"${String(column)}"`).join(', ')})`
  const place = (row: number) => `($1, ${columns.map((_, i) => `$${2 + row * columns.length + i}`).join(', ')})`
  const textFor = (count: number) => {
    const text = `${into} values ${Array.from({ length: count }, (_, row) => place(row)).join(', ')}`
    return count <= MAX_PREPARED_ROWS ? text : `${text}${PLAN_EACH_TIME}`
  }
  return (organizationId, rows) => {
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null))
    return CompiledQuery.raw(textFor(rows.length), [organizationId, ...values])
  }
}

/**
 * A savepoint of a transaction. The two functions of a savepoint keep or roll back all changes, events, and other data
 * since the savepoint. Exactly one of them must be called.
 */
export interface Savepoint {
  keep(): Promise<void>
  undo(): Promise<void>
}

export async function createSavepoint(call: WriteCall): Promise<Savepoint> {
  await storePendingRows(call)
  const [events, changes] = [call.events.length, call.changes.length]
  const opened = new Set(call.opened)
  await sql`savepoint "mark"`.execute(call.db)
  return {
    async keep() {
      await sql`release savepoint "mark"`.execute(call.db)
    },
    async undo() {
      await sql`rollback to savepoint "mark"`.execute(call.db)
      await sql`release savepoint "mark"`.execute(call.db)
      call.events.length = events
      call.changes.length = changes
      call.pendingRows.events.length = 0
      call.pendingRows.statusChanges.length = 0
      for (const id of call.opened) if (!opened.has(id)) recordChange(call, id, 'opening_undone')
    },
  }
}
