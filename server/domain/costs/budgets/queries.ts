import { sql } from 'kysely'
import type { BudgetScope } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../statuses/order-statuses.ts'

export const {
  list,
  find,
  findAll,
  findOptional,
  lock,
  assertExist,
  insert,
  make,
  insertAll,
  updateAll,
  update,
  archive,
} = defineResource({
  schema: 'BudgetLine',
  computed: {
    // The database computes this column, so that lists can be sorted by it.
    budgeted: 't."budgeted"',
    transferred: `${transferredSumSql('toLineId')} - ${transferredSumSql('fromLineId')}`,
  },
})

function transferredSumSql(side: 'fromLineId' | 'toLineId'): string {
  return `(select coalesce(sum(x."amount"), 0) from "budgetTransfers" x
    where x."organizationId" = t."organizationId" and x."${side}" = t."id")`
}

/** The figures about the commitments of a trade. The other figures of a budget are in figure-queries.ts. */
export type Commitment = Pick<BudgetScope, 'scope' | 'budgeted' | 'committed' | 'pendingCommitted' | 'variance'>

/**
 * Returns the commitments of every trade of the home in one statement, sorted by the name of the trade. Sums the
 * amounts as decimals (`numeric`). Trades whose names differ only in letter case count as one trade, in the spelling of
 * the budget.
 */
export async function findCommitments(call: Tenant, homeId: string): Promise<Commitment[]> {
  const { rows } = await sql<Commitment>`
    select
      coalesce(b."scope", p."scope") as "scope",
      f."budgeted",
      f."committed",
      f."pendingCommitted",
      f."budgeted" - f."committed" as "variance"
    from (
      select lower("scope") as "key", min("scope") as "scope", sum("budgeted") as "budgeted"
      from "budgetLines"
      where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
      group by lower("scope")
    ) as b
    full join (
      select
        lower("scope") as "key",
        min("scope") as "scope",
        coalesce(sum("total") filter (where "status" = any(${[...COMMITTED_STATUSES]}::text[])), 0) as "committed",
        coalesce(sum("total") filter (where "status" = any(${[...PENDING_STATUSES]}::text[])), 0) as "pendingCommitted"
      from "purchaseOrders"
      where "organizationId" = ${call.organizationId} and "homeId" = ${homeId}
        and "status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      group by lower("scope")
    ) as p on p."key" = b."key"
    cross join lateral (
      select
        coalesce(b."budgeted", 0) as "budgeted",
        coalesce(p."committed", 0) as "committed",
        coalesce(p."pendingCommitted", 0) as "pendingCommitted"
    ) as f
    order by coalesce(b."key", p."key") collate "C"`.execute(call.db)
  return rows
}

export async function hasBudgetLines(call: Tenant, homeId: string): Promise<boolean> {
  const line = await call.db
    .selectFrom('budgetLines')
    .select('id')
    .where('organizationId', '=', call.organizationId)
    .where('homeId', '=', homeId)
    .where('archivedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return line !== undefined
}

/** Returns whether a line of a purchase order refers to the budget line. */
export async function isLineOrdered(call: Tenant, budgetLineId: string): Promise<boolean> {
  const line = await call.db
    .selectFrom('purchaseOrderLines')
    .select('budgetLineId')
    .where('organizationId', '=', call.organizationId)
    .where('budgetLineId', '=', budgetLineId)
    .limit(1)
    .executeTakeFirst()
  return line !== undefined
}
