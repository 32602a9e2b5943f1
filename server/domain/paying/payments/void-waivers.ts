import { sql } from 'kysely'
import type { LienWaiverStatus, Payment } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChanges } from '../../../platform/events/status-history.ts'

/** Voids the lien waivers of a locked payment that will not be made. A payment has at most two. */
export async function voidWaivers(call: WriteCall, { id }: Pick<Payment, 'id'>, reason: string): Promise<void> {
  const { rows } = await sql<{ id: string; from: LienWaiverStatus }>`
    with standing as (
      select "id", "status" from "lienWaivers"
      where "organizationId" = ${call.organizationId} and "paymentId" = ${id}
        and "status" in ('requested', 'signed', 'accepted')
      for no key update
    )
    update "lienWaivers" as w set "status" = 'void', "version" = w."version" + 1, "updatedAt" = ${call.now}
    from standing as s where w."organizationId" = ${call.organizationId} and w."id" = s."id"
    returning w."id", s."status" as "from"`.execute(call.db)
  if (rows.length === 0) return
  await recordStatusChanges(
    call,
    rows.map(({ id, from }) => ({ id, from, to: 'void', reason })),
  )
  for (const { id } of rows) recordChange(call, id, 'updated', ['status'])
}
