import { sql } from 'kysely'
import type { VarianceReportResult } from '../../../../client/contract.gen.ts'
import { COMMITTED_STATUSES, PENDING_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { sum, toPercentage } from '../../../platform/values/money.ts'
import { createReportFooter, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

const MAX_GROUPS = 200

/**
 * The SQL for the key and the name of each group. `o` is the order, `h` is its home, and `c`, `u`, and `v` are the
 * other joined tables.
 */
const GROUP_COLUMNS: Record<Checked['VarianceReportInput']['groupBy'], readonly [key: string, name: string]> = {
  reason: ['o."varianceReasonCode"', 'o."varianceReasonCode"'],
  responsible: ['o."varianceResponsible"', 'o."varianceResponsible"'],
  vendor: ['o."vendorId"', 'v."companyName"'],
  superintendent: ['coalesce(h."superintendentId", c."superintendentId")', 'u."name"'],
  community: ['h."communityId"', 'c."name"'],
}

interface VarianceGroup {
  key: string | null
  name: string | null
  count: number
  amount: number
  pendingCount: number
  pendingAmount: number
  homeIds: string[]
}

/** Reports variances, which are orders for unplanned costs. The variance rate is their total divided by the budget. */
export async function reportVariances(
  input: Checked['VarianceReportInput'],
  call: Call,
): Promise<VarianceReportResult> {
  const { from, to } = toReportPeriod(call, input)
  const { rows, truncated } = truncateRows(await findVarianceGroups(call, { ...input, from, to }), MAX_GROUPS)
  const budgets = await findBudgets(call, [...new Set(rows.flatMap(({ homeIds }) => homeIds))])
  const budgetOf = (homeIds: readonly string[]) => sum(homeIds.map((id) => budgets.get(id) ?? 0))
  const amount = sum(rows.map((row) => row.amount))
  const budgeted = budgetOf([...budgets.keys()])
  return {
    ...{ from, to },
    groups: rows.map(({ homeIds, name, ...group }) => ({
      ...group,
      name: name ?? 'Not recorded',
      percentOfBudget: toPercentage(group.amount, budgetOf(homeIds)),
    })),
    ...{ count: rows.reduce((all, { count }) => all + count, 0), amount, budgeted },
    percentOfBudget: toPercentage(amount, budgeted),
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        rows.some(({ key }) => key === null) && `Variances without a ${input.groupBy} are shown as one group.`,
      ),
    }),
    currency: call.currency,
  }
}

async function findVarianceGroups(
  { db, organizationId, timeZone }: Call,
  { from, to, groupBy, communityId }: Checked['VarianceReportInput'] & { from: string; to: string },
): Promise<VarianceGroup[]> {
  const [key, name] = GROUP_COLUMNS[groupBy]
  const decided = sql`o."status" = any(${[...COMMITTED_STATUSES]}::text[])`
  const { rows } = await sql<VarianceGroup>`
    select ${sql.raw(key)} as "key", min(${sql.raw(name)}) as "name",
      count(*) filter (where ${decided}) as "count", coalesce(sum(o."total") filter (where ${decided}), 0) as "amount",
      count(*) filter (where not ${decided}) as "pendingCount",
      coalesce(sum(o."total") filter (where not ${decided}), 0) as "pendingAmount",
      array_agg(distinct o."homeId") as "homeIds"
    from "purchaseOrders" o
    join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    join "vendors" v on v."organizationId" = o."organizationId" and v."id" = o."vendorId"
    left join "users" u on u."organizationId" = h."organizationId"
      and u."id" = coalesce(h."superintendentId", c."superintendentId")
    where o."organizationId" = ${organizationId} and o."poType" = 'variance'
      and o."status" = any(${[...COMMITTED_STATUSES, ...PENDING_STATUSES]}::text[])
      and o."createdAt" >= ${from}::date::timestamp at time zone ${timeZone}
      and o."createdAt" < (${to}::date + 1)::timestamp at time zone ${timeZone}
      and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    group by ${sql.raw(key)}
    order by "amount" desc, "pendingAmount" desc, "key" limit ${MAX_GROUPS + 1}`.execute(db)
  return rows
}

async function findBudgets({ db, organizationId }: Call, homeIds: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ homeId: string; budgeted: number }>`
    select "homeId", sum("budgeted") as "budgeted" from "budgetLines"
    where "organizationId" = ${organizationId} and "homeId" = any(${homeIds}::text[]) and "archivedAt" is null
    group by "homeId"`.execute(db)
  return new Map(rows.map(({ homeId, budgeted }) => [homeId, budgeted]))
}
