import { type RawBuilder, sql } from 'kysely'
import { later } from '../database/transaction-drivers.ts'
import type { EventRow, StatusChangeRow, WriteCall } from '../http/call.ts'

/** How many go into one statement: payloads are a few kB each, some far more. */
const MOST_TOGETHER = 100

/** Adds events to those that the transaction has recorded. */
export async function addEvents(call: WriteCall, rows: readonly EventRow[]): Promise<void> {
  for (const row of rows) {
    call.unstored.events.push(row)
    if (call.unstored.events.length >= MOST_TOGETHER) await storeRecorded(call)
  }
}

export async function addStatusChanges(call: WriteCall, rows: readonly StatusChangeRow[]): Promise<void> {
  for (const row of rows) {
    call.unstored.statusChanges.push(row)
    if (call.unstored.statusChanges.length >= MOST_TOGETHER) await storeRecorded(call)
  }
}

/**
 * Stores what a transaction has recorded so far, in a statement for the events and one for the changes of status: before
 * it commits, before a savepoint to which it may return, and before anything reads them.
 */
export async function storeRecorded({ db, organizationId, unstored }: WriteCall): Promise<void> {
  const events = unstored.events.splice(0)
  const changes = unstored.statusChanges.splice(0)
  // Each array is a column, so that any number of rows is the same statement.
  if (events.length > 0) {
    const column = (name: keyof EventRow) => events.map((row) => row[name] ?? null)
    const statement = sql`
      insert into "events" ("organizationId", "id", "type", "resourceId", "actorId", "payload", "occurredAt", "requestId", "address", "permissions")
      select ${organizationId}, e."id", e."type", e."resourceId", e."actorId", e."payload"::json, e."occurredAt", e."requestId", e."address",
        (select array_agg(p) from json_array_elements_text(e."permissions"::json) as p)
      from unnest(${column('id')}::text[], ${column('type')}::text[], ${column('resourceId')}::text[], ${column('actorId')}::text[],
        ${column('payload')}::text[], ${column('occurredAt')}::timestamptz[], ${column('requestId')}::text[], ${column('address')}::text[],
        ${events.map(({ permissions }) => (permissions === undefined ? null : JSON.stringify(permissions)))}::text[])
        with ordinality as e ("id", "type", "resourceId", "actorId", "payload", "occurredAt", "requestId", "address", "permissions", "place")
      order by e."place"`
    await db.executeQuery(later(statement.compile(db)))
  }
  if (changes.length > 0) {
    const column = (name: keyof StatusChangeRow) => changes.map((row) => row[name])
    const statement = sql`
      insert into "statusChanges" ("organizationId", "id", "resourceId", "from", "to", "at", "by", "reason")
      select ${organizationId}, c.* from unnest(${column('id')}::text[], ${column('resourceId')}::text[], ${column('from')}::text[],
        ${column('to')}::text[], ${changes.map(({ at }) => at.toISOString())}::timestamptz[],
        ${changes.map(({ by }) => JSON.stringify(by))}::jsonb[], ${column('reason')}::text[]) as c`
    await db.executeQuery(later(statement.compile(db)))
  }
}

/** A place in a transaction: all that it does, records and notes from there on is kept or undone. Call one of the two. */
export interface Savepoint {
  keep(): Promise<void>
  undo(): Promise<void>
}

export async function savepoint(call: WriteCall): Promise<Savepoint> {
  await storeRecorded(call)
  const [events, changes] = [call.events.length, call.changes.length]
  const leave = (statement: RawBuilder<unknown>) => call.db.executeQuery(later(statement.compile(call.db)))
  await leave(sql`savepoint "mark"`)
  return {
    async keep() {
      // Whatever was left for later is refused here, where it can still be undone.
      await sql`release savepoint "mark"`.execute(call.db)
    },
    async undo() {
      await leave(sql`rollback to savepoint "mark"`)
      await leave(sql`release savepoint "mark"`)
      call.events.length = events
      call.changes.length = changes
      call.unstored.events.length = 0
      call.unstored.statusChanges.length = 0
    },
  }
}
