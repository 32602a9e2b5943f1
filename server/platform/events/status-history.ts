import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { WriteCall } from '../calls/call.ts'
import { addStatusChanges } from './recorded.ts'

interface Move {
  id: string
  from: string | null
  to: string
  reason?: string | null | undefined
}

/** Records one status change of any kind of record, in the transaction that makes it. */
export function recordStatusChange(call: WriteCall, move: Move): Promise<void> {
  return recordStatusChanges(call, [move])
}

export async function recordStatusChanges(call: WriteCall, moves: readonly Move[]): Promise<void> {
  await addStatusChanges(
    call,
    moves.map(({ id, from, to, reason = null }) => ({
      ...{ id: typeid('stc').toString(), resourceId: id },
      ...{ from, to, reason, at: call.now, by: call.actor },
    })),
  )
}

/** Records the first status of many new records in one statement. */
export async function recordFirstStatuses(
  { db, organizationId, actor, now }: WriteCall,
  made: readonly { id: string; status: string }[],
): Promise<void> {
  if (made.length === 0) return
  await sql`
    insert into "statusChanges" ("organizationId", "id", "resourceId", "to", "at", "by")
    select ${organizationId}, m.*, ${now.toISOString()}::timestamptz, ${JSON.stringify(actor)}::jsonb
    from unnest(${made.map(() => typeid('stc').toString())}::text[], ${made.map(({ id }) => id)}::text[],
      ${made.map(({ status }) => status)}::text[]) as m`.execute(db)
}
