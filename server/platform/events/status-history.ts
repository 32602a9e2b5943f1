import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { WriteCall } from '../calls/call.ts'
import { queueStatusChanges } from './pending-rows.ts'

interface StatusMove {
  id: string
  from: string | null
  to: string
  reason?: string | null | undefined
}

/** Records a status change of a record in the transaction that makes the change. */
export function recordStatusChange(call: WriteCall, move: StatusMove): Promise<void> {
  return recordStatusChanges(call, [move])
}

export async function recordStatusChanges(call: WriteCall, moves: readonly StatusMove[]): Promise<void> {
  await queueStatusChanges(
    call,
    moves.map(({ id, from, to, reason = null }) => ({
      ...{ id: typeid('stc').toString(), resourceId: id },
      ...{ from, to, reason, at: call.now, by: call.actor },
    })),
  )
}

/** Records the initial status of several new records with one statement. */
export async function recordInitialStatuses(
  { db, organizationId, actor, now }: WriteCall,
  created: readonly { id: string; status: string }[],
): Promise<void> {
  if (created.length === 0) return
  await sql`
    insert into "statusChanges" ("organizationId", "id", "resourceId", "to", "at", "by")
    select o."id", m.*, ${now.toISOString()}::timestamptz, ${JSON.stringify(actor)}::jsonb
    from "organizations" as o cross join unnest(${created.map(() => typeid('stc').toString())}::text[], ${created.map(({ id }) => id)}::text[],
      ${created.map(({ status }) => status)}::text[]) as m
    where o."id" = ${organizationId}`.execute(db)
}
