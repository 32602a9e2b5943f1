import { sql } from 'kysely'
import type { BudgetScope } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../http/call.ts'
import { COMMITTED, PENDING } from '../../paying/order-statuses.ts'
import { resource } from '../../resources/resource.ts'

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
} = resource({
  schema: 'BudgetLine',
  table: 'budgetLines',
  prefix: 'bud',
  computed: {
    // Computed by the database as a column, so that lists can be sorted by it.
    budgeted: 't."budgeted"',
    transferred: `${transferredSum('toLineId')} - ${transferredSum('fromLineId')}`,
  },
})

function transferredSum(side: 'fromLineId' | 'toLineId'): string {
  return `(select coalesce(sum(x."amount"), 0) from "budgetTransfers" x
    where x."organizationId" = t."organizationId" and x."${side}" = t."id")`
}

/** What a scope may still commit to; the other figures of a budget are in figure-queries.ts. */
export type Commitment = Pick<BudgetScope, 'scope' | 'budgeted' | 'committed' | 'pendingCommitted' | 'variance'>

/**
 * What every scope of the home has committed to, in one statement, sorted by name. Money is added up as numeric. A
 * trade spelled with different capitals is one scope, named as the budget spells it.
 */
export async function commitmentsOf(call: Tenant, homeId: string): Promise<Commitment[]> {
  return (await commitmentsOfAll(call, [homeId])).get(homeId) ?? []
}

/**
 * The same for several homes; those without any scopes are left out. Only whole orders are read, not their lines,
 * because a skill goes through all the homes of a builder with this.
 */
export async function commitmentsOfAll(call: Tenant, homeIds: readonly string[]): Promise<Map<string, Commitment[]>> {
  const { rows } = await sql<Commitment & { homeId: string }>`
    select
      coalesce(b."homeId", p."homeId") as "homeId",
      coalesce(b."scope", p."scope") as "scope",
      f."budgeted",
      f."committed",
      f."pendingCommitted",
      f."budgeted" - f."committed" as "variance"
    from (
      select "homeId", lower("scope") as "key", min("scope") as "scope", sum("budgeted") as "budgeted"
      from "budgetLines"
      where "organizationId" = ${call.organizationId} and "homeId" = any(${[...homeIds]}) and "archivedAt" is null
      group by "homeId", lower("scope")
    ) as b
    full join (
      select
        "homeId",
        lower("scope") as "key",
        min("scope") as "scope",
        coalesce(sum("total") filter (where "status" = any(${[...COMMITTED]}::text[])), 0) as "committed",
        coalesce(sum("total") filter (where "status" = any(${[...PENDING]}::text[])), 0) as "pendingCommitted"
      from "purchaseOrders"
      where "organizationId" = ${call.organizationId} and "homeId" = any(${[...homeIds]})
        and "status" = any(${[...COMMITTED, ...PENDING]}::text[])
      group by "homeId", lower("scope")
    ) as p on p."homeId" = b."homeId" and p."key" = b."key"
    cross join lateral (
      select
        coalesce(b."budgeted", 0) as "budgeted",
        coalesce(p."committed", 0) as "committed",
        coalesce(p."pendingCommitted", 0) as "pendingCommitted"
    ) as f
    order by coalesce(b."key", p."key") collate "C"`.execute(call.db)
  const byHome = new Map<string, Commitment[]>()
  for (const { homeId, ...scope } of rows) {
    const ofHome = byHome.get(homeId)
    if (ofHome === undefined) byHome.set(homeId, [scope])
    else ofHome.push(scope)
  }
  return byHome
}

export async function hasLines(call: Tenant, homeId: string): Promise<boolean> {
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

/** Whether a line of a purchase order refers to the budget line. */
export async function isOrdered(call: Tenant, budgetLineId: string): Promise<boolean> {
  const line = await call.db
    .selectFrom('purchaseOrderLines')
    .select('budgetLineId')
    .where('organizationId', '=', call.organizationId)
    .where('budgetLineId', '=', budgetLineId)
    .limit(1)
    .executeTakeFirst()
  return line !== undefined
}
