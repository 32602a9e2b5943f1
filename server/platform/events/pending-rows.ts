import { CompiledQuery, sql } from 'kysely'
import { type EventRow, recordChange, type StatusChangeRow, type WriteCall } from '../calls/call.ts'

/** Rows per statement: payloads are a few kB each, some far more. */
const MAX_ROWS_PER_STATEMENT = 100
/**
 * Enough for most transactions. Each number of rows has its own statement, whose values are sent as separate
 * parameters.
 */
const MAX_SINGLE_ROWS = 8

/** Adds events to those that the transaction has recorded. */
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
 * Stores what a transaction has recorded so far, in one statement for the events and one for the status changes. Called
 * before it commits, before a savepoint that it may return to, and before anything reads them.
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

const insertEvents = buildInsert<EventRow>('events', {
  ...{ id: 'text', type: 'text', resourceId: 'text', actorId: 'text', payload: 'json', occurredAt: 'timestamptz' },
  ...{ requestId: 'text', address: 'text', permissions: 'text[]' },
})
const insertStatusChanges = buildInsert<Omit<StatusChangeRow, 'at' | 'by'> & { at: string; by: string }>(
  'statusChanges',
  { id: 'text', resourceId: 'text', from: 'text', to: 'text', at: 'timestamptz', by: 'jsonb', reason: 'text' },
)

/**
 * Returns the statement that inserts rows of one organization in order. JSON is passed as text, so that no byte
 * changes.
 */
function buildInsert<Row>(
  table: string,
  types: Readonly<Record<Exclude<keyof Row, 'organizationId'>, string>>,
): (organizationId: string, rows: readonly Row[]) => CompiledQuery {
  const columns = Object.keys(types) as Exclude<keyof Row, 'organizationId'>[]
  const names = columns.map((column) => `"${String(column)}"`)
  const into = `insert into "${table}" ("organizationId", ${names.join(', ')})`
  const read = columns.map((column, i) => `${names[i]} ${types[column].startsWith('json') ? 'text' : types[column]}`)
  const ofMany = `${into}
    select $1, ${columns.map((column, i) => `r.${names[i]}::${types[column]}`).join(', ')}
    from json_to_recordset($2::json) as r (${read.join(', ')})`
  const place = (row: number) => `($1, ${columns.map((_, i) => `$${2 + row * columns.length + i}`).join(', ')})`
  const ofFew = Array.from({ length: MAX_SINGLE_ROWS }, (_, more) => {
    return `${into} values ${Array.from({ length: 1 + more }, (_, row) => place(row)).join(', ')}`
  })
  return (organizationId, rows) => {
    const text = ofFew[rows.length - 1]
    if (text === undefined) return CompiledQuery.raw(ofMany, [organizationId, JSON.stringify(rows)])
    const values = rows.flatMap((row) => columns.map((column) => row[column] ?? null))
    return CompiledQuery.raw(text, [organizationId, ...values])
  }
}

/**
 * A savepoint of a transaction. Everything that it does and records afterwards is kept or rolled back. Call exactly one
 * of the two.
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
