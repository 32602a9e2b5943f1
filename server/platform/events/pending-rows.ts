import { CompiledQuery, sql } from 'kysely'
import { type EventRow, recordChange, type StatusChangeRow, type WriteCall } from '../calls/call.ts'
import { PLAN_EACH_TIME } from '../database/prepared-statements.ts'

/** Rows per statement. Most payloads have a few kB, and some have far more. */
const MAX_ROWS_PER_STATEMENT = 100
/** This number is enough for most transactions. Each number of rows has its own statement. */
const MAX_PREPARED_ROWS = 8

/** Adds events to the events that the transaction has recorded. */
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
 * Stores the rows that a transaction has recorded so far, in one statement for the events and one statement for the
 * status changes. The function must be called before the transaction commits, before a savepoint to which it may roll
 * back, and before any code reads the rows.
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
 * Returns the function that builds the statement to insert rows of one organization in order. JSON is passed as text, so
 * that every byte stays the same.
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
 * A savepoint of a transaction. The functions keep or roll back everything that the transaction does and records after
 * the savepoint. Call exactly one of the two functions.
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
