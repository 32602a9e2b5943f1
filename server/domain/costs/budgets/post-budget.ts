import { sql } from 'kysely'
import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { type Balance, postDifference } from '../../ledger/post-difference.ts'

/** Posts the changes in the budget of a locked home. Before a budget is locked, it is not posted. */
export async function postBudget(
  call: WriteCall,
  { id: homeId, budgetLockedAt }: Home,
  note: string | null = null,
): Promise<void> {
  if (budgetLockedAt === null) return
  const { rows } = await sql<Balance>`
    select "homeId", "scope", "costCodeId", sum("budgeted") as "amount" from "budgetLines"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
    group by "homeId", "scope", "costCodeId"`.execute(call.db)
  await postDifference(call, { measure: 'budget', of: { homeId }, now: rows, note })
}
