import { sql } from 'kysely'
import type { Bid, BidLevelingAmount, BidRequest } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'

/** The fields of a bid that a comparison uses. */
export type ComparedBid = Pick<
  Bid,
  | 'id'
  | 'vendorId'
  | 'homeId'
  | 'revision'
  | 'amount'
  | 'lines'
  | 'alternates'
  | 'inclusions'
  | 'exclusions'
  | 'leadTimeDays'
  | 'durationDays'
  | 'validUntil'
  | 'submittedAt'
  | 'awardedLineIds'
> & {
  status: 'submitted' | 'accepted' | 'rejected'
  amount: number
  expiresAt: string | null
  leveling: BidLevelingAmount[]
}

/** Returns the bids in order of submission, except withdrawn and expired bids. */
export async function listComparedBids(call: Tenant, bidRequestId: string): Promise<ComparedBid[]> {
  const { rows } = await sql<ComparedBid>`
    select "id", "vendorId", "homeId", "status", "revision", "amount", "lines", "alternates", "inclusions",
      "exclusions", "leadTimeDays", "durationDays", "validUntil", "submittedAt", "awardedLineIds", "expiresAt", "leveling"
    from "bids"
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" in ('submitted', 'accepted', 'rejected')
    order by "id"`.execute(call.db)
  return rows
}

/** Returns the trade's budget for each home of the request. Omits homes without a budget line for the trade. */
export async function findBudgets(
  call: Tenant,
  request: Pick<BidRequest, 'homeIds' | 'scope'>,
): Promise<Map<string, number>> {
  if (request.homeIds.length === 0) return new Map()
  const { rows } = await sql<{ homeId: string; budgeted: number }>`
    select "homeId", sum("budgeted") as "budgeted" from "budgetLines"
    where "organizationId" = ${call.organizationId} and "homeId" = any(${[...request.homeIds]})
      and lower("scope") = lower(${request.scope}) and "archivedAt" is null
    group by "homeId"`.execute(call.db)
  return new Map(rows.map((row) => [row.homeId, row.budgeted]))
}
