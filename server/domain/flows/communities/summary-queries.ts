import { sql } from 'kysely'
import type { CommunitySummary } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { OPEN_INVITATION_STATUSES } from '../../bidding/bid-requests/bid-request.ts'
import { LOT_IS_TAKEN_SQL } from '../../land/communities/queries.ts'
import { COMMITTED_STATUSES, OPEN_STATUSES, PENDING_STATUSES } from '../../statuses/order-statuses.ts'

type SummaryPart<Part extends 'budget' | 'openOrders' | 'bidRequests' | 'sales'> = NonNullable<CommunitySummary[Part]>

/** The average is stable with far fewer homes, and the most recently completed homes are the most relevant. */
const MAX_AVERAGED = 1000

export interface HomeFigures {
  byStatus: CommunitySummary['homesByStatus']
  lotsTaken: number
  /** The number of starts in each month, in order. */
  starts: number[]
  completions: number
}

/** Returns counts about the community's homes. `months` contains the first days of consecutive months. */
export async function summarizeHomes(
  { db, organizationId }: Tenant,
  communityId: string,
  months: readonly string[],
): Promise<HomeFigures> {
  const { rows } = await sql<HomeFigures>`
    with of as (
      select "status", "startDate", "actualCompletionDate", ${LOT_IS_TAKEN_SQL} as "isOnLot" from "homes"
      where "organizationId" = ${organizationId} and "communityId" = ${communityId}
        and ("archivedAt" is null or "status" = 'archived')
    ), months as (
      select "first", ("first" + interval '1 month')::date as "next" from unnest(${[...months]}::date[]) as m ("first")
    )
    select
      (select json_object_agg(s."name", (select count(*) from of where of."status" = s."name"))
        from unnest(${[...STATUSES]}::text[]) as s ("name")) as "byStatus",
      (select count(*) from of where "isOnLot") as "lotsTaken",
      (select json_agg((select count(*) from of where "startDate" >= m."first" and "startDate" < m."next") order by m."first")
        from months as m) as "starts",
      (select count(*) from of where "actualCompletionDate" >= (select min("first") from months)
        and "actualCompletionDate" < (select max("next") from months)) as "completions"`.execute(db)
  const [figures] = rows
  if (figures === undefined) throw new Error('Expected a select without a table to return one row.')
  return figures
}

const STATUSES: readonly (keyof CommunitySummary['homesByStatus'])[] = [
  ...(['planning', 'permitting', 'ready_to_start', 'under_construction', 'completed'] as const),
  ...(['closed', 'warranty', 'archived', 'on_hold', 'cancelled'] as const),
]

/** Returns the homes with a known start that were completed on or after the date, newest first. */
export async function listHomesCompletedSince(
  { db, organizationId }: Tenant,
  communityId: string,
  since: string,
): Promise<{ startDate: string; actualCompletionDate: string }[]> {
  const { rows } = await sql<{ startDate: string; actualCompletionDate: string }>`
    select "startDate", "actualCompletionDate" from "homes"
    where "organizationId" = ${organizationId} and "communityId" = ${communityId}
      and ("archivedAt" is null or "status" = 'archived')
      and "startDate" <= "actualCompletionDate" and "actualCompletionDate" >= ${since}
    order by "actualCompletionDate" desc, "id" limit ${MAX_AVERAGED}`.execute(db)
  return rows
}

/** Returns the total of the homes' budgets. */
export async function summarizeBudget(
  { db, organizationId }: Tenant,
  communityId: string,
): Promise<SummaryPart<'budget'>> {
  const { rows } = await sql<SummaryPart<'budget'>>`
    with of as materialized (
      select "id" from "homes"
      where "organizationId" = ${organizationId} and "communityId" = ${communityId} and "status" <> 'cancelled'
        and ("archivedAt" is null or "status" = 'archived')
    ), budget as (
      select coalesce(sum("budgeted"), 0) as "budgeted" from "budgetLines"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from of)) and "archivedAt" is null
    ), orders as (
      select
        coalesce(sum("total") filter (where "status" = any(${[...COMMITTED_STATUSES]}::text[])), 0) as "committed",
        coalesce(sum("total") filter (where "status" = any(${[...PENDING_STATUSES]}::text[])), 0) as "pendingCommitted"
      from "purchaseOrders"
      where "organizationId" = ${organizationId} and "homeId" = any(array(select "id" from of))
    )
    select "budgeted", "committed", "pendingCommitted", "budgeted" - "committed" as "variance" from budget, orders`.execute(
    db,
  )
  return rows[0] ?? { budgeted: 0, committed: 0, pendingCommitted: 0, variance: 0 }
}

/**
 * Returns the number and total of open orders. Includes orders of canceled homes, because these orders must still be
 * settled.
 */
export async function summarizeOpenOrders(
  { db, organizationId }: Tenant,
  communityId: string,
): Promise<SummaryPart<'openOrders'>> {
  const { rows } = await sql<SummaryPart<'openOrders'>>`
    select count(*) as "count", coalesce(sum("total"), 0) as "amount" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "status" = any(${[...OPEN_STATUSES]}::text[])
      and "homeId" = any(array(
        select "id" from "homes" where "organizationId" = ${organizationId} and "communityId" = ${communityId}))`.execute(
    db,
  )
  return rows[0] ?? { count: 0, amount: 0 }
}

export async function summarizeBidRequests(
  { db, organizationId }: Tenant,
  communityId: string,
): Promise<SummaryPart<'bidRequests'>> {
  const { rows } = await sql<SummaryPart<'bidRequests'>>`
    with of as materialized (
      select "id", "status" from "bidRequests"
      where "organizationId" = ${organizationId} and "communityId" = ${communityId}
    )
    select
      count(*) filter (where "status" = 'draft') as "draft",
      count(*) filter (where "status" = 'sent') as "sent",
      count(*) filter (where "status" = 'closed') as "closed",
      count(*) filter (where "status" = 'awarded') as "awarded",
      count(*) filter (where "status" = 'cancelled') as "cancelled",
      (select count(*) from "invitations"
        where "organizationId" = ${organizationId} and "status" = any(${[...OPEN_INVITATION_STATUSES]}::text[])
          and "bidRequestId" = any(array(select "id" from of where "status" = 'sent'))) as "openInvitations"
    from of`.execute(db)
  return rows[0] ?? { draft: 0, sent: 0, closed: 0, awarded: 0, cancelled: 0, openInvitations: 0 }
}

export async function summarizeSales(
  { db, organizationId }: Tenant,
  communityId: string,
): Promise<SummaryPart<'sales'>> {
  const { rows } = await sql<SummaryPart<'sales'>>`
    select
      count(*) filter (where "status" = 'pending') as "pending",
      count(*) filter (where "status" = 'approved') as "approved",
      count(*) filter (where "status" = 'pipeline_complete') as "pipelineComplete",
      count(*) filter (where "status" = 'cancelled') as "cancelled",
      (select count(*) from "homes"
        where "organizationId" = ${organizationId} and "communityId" = ${communityId} and "salesStatus" = 'available'
      ) as "homesAvailable"
    from "sales" where "organizationId" = ${organizationId} and "communityId" = ${communityId}`.execute(db)
  return rows[0] ?? { pending: 0, approved: 0, pipelineComplete: 0, cancelled: 0, homesAvailable: 0 }
}
