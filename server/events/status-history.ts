import { typeid } from 'typeid-js'
import type { WriteCall } from '../http/call.ts'

/** Records one status change of any kind of resource, in the transaction that makes it. */
export async function recordStatusChange(
  call: WriteCall,
  move: { id: string; from: string | null; to: string; reason?: string | null | undefined },
): Promise<void> {
  await call.db
    .insertInto('statusChanges')
    .values({
      organizationId: call.organizationId,
      id: typeid('stc').toString(),
      resourceId: move.id,
      from: move.from,
      to: move.to,
      at: call.now,
      by: JSON.stringify(call.actor),
      reason: move.reason ?? null,
    })
    .execute()
}
