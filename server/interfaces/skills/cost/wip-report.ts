import { sql } from 'kysely'
import type { WipReportInput, WipReportResult, WipRow } from '../../../../client/contract.gen.ts'
import { contractPriceOf } from '../../../domain/land/homes/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { minus, percentage, percentOf, sum } from '../../../platform/values/money.ts'
import { type CostedHome, costedHomes } from '../frame/costed-homes.ts'
import { listed, reported, sentences, todayOf } from '../frame/report.ts'

const MOST_HOMES = 500

/** Sold homes are in progress until they close; one that is on hold keeps what it has earned. */
const IN_PROGRESS = ['planning', 'permitting', 'ready_to_start', 'under_construction', 'on_hold', 'completed'] as const

/**
 * The schedule of work in progress by the cost-to-cost method, an input method of ASC 606-10-55-20: percentage complete
 * is cost to date over estimated cost, earned revenue that share of the contract. What is billed beyond it is a contract
 * liability (overbilled), what is earned beyond the billing a contract asset (underbilled).
 */
export async function wipReport({ asOf, communityId }: WipReportInput, call: Call): Promise<WipReportResult> {
  const today = todayOf(call)
  const through = asOf ?? today
  const wanted = { communityId, statuses: IN_PROGRESS, ...(through < today && { through }) }
  const found = listed(await costedHomes(call, wanted, MOST_HOMES), MOST_HOMES)
  const sold = found.rows.filter(({ contractPrice }) => contractPrice !== null)
  const billings = await billingsOf(
    call,
    sold.map(({ homeId }) => homeId),
    through,
  )
  const homes = sold.map((home) => rowOf(home, billings.get(home.homeId) ?? { deposits: 0, draws: 0 }))
  const of = (figure: (row: WipRow) => number) => sum(homes.map(figure))
  return {
    ...{ through, homes },
    total: {
      ...{ contract: of((row) => row.contract), estimatedCost: of((row) => row.estimatedCost) },
      ...{ costToDate: of((row) => row.costToDate), earned: of((row) => row.earned), billed: of((row) => row.billed) },
      overbilled: of(({ overUnder }) => Math.max(overUnder, 0)),
      underbilled: of(({ overUnder }) => Math.max(-overUnder, 0)),
    },
    ...reported(call, {
      truncated: found.truncated,
      unknown: sentences(
        sold.length < found.rows.length &&
          `Homes without an approved sale are excluded, because they have no contract price: ${found.rows.length - sold.length}.`,
        through < today && 'Estimated costs, contracts and the list of open homes are as of today.',
        through < today && 'Orders that continued after that date count only with the amount invoiced by that date.',
        'Payments of draws by the buyer or the bank are not recorded. Reached draws count as billed.',
      ),
    }),
    currency: call.currency,
  }
}

function rowOf(of: CostedHome, { deposits, draws }: Billing): WipRow {
  const { homeId, home, estimatedCost, costToDate } = of
  const contract = of.contractPrice ?? 0
  // More than the whole contract cannot be earned, and costs beyond the estimate are no progress.
  const percentComplete = Math.min(percentage(costToDate, estimatedCost) ?? 0, 100)
  const earned = percentOf(contract, percentComplete)
  const billed = sum([deposits, draws])
  return {
    ...{ homeId, home, contract, estimatedCost, estimatedProfit: minus(contract, estimatedCost), costToDate },
    ...{ percentComplete, earned, deposits, draws, billed, overUnder: minus(billed, earned) },
  }
}

interface Billing {
  deposits: number
  draws: number
}

async function billingsOf(call: Call, homeIds: string[], through: string): Promise<Map<string, Billing>> {
  const { organizationId, db } = call
  const { rows } = await sql<Billing & { homeId: string }>`
    select h."id" as "homeId",
      coalesce((
        select sum((d ->> 'amount')::numeric) from "sales" s, jsonb_array_elements(s."deposits"::jsonb) as d
        where s."organizationId" = ${organizationId} and s."homeId" = h."id" and s."status" <> 'cancelled'
          and d ->> 'status' = 'received' and (d ->> 'receivedDate')::date <= ${through}::date), 0) as "deposits",
      coalesce((
        select sum(coalesce(m."drawAmount", round(m."drawPercent" * h."price" / 100, 2))) from "milestones" m
        where m."organizationId" = ${organizationId} and m."homeId" = h."id" and m."archivedAt" is null
          and m."status" = 'completed' and m."completedDate" <= ${through}::date), 0) as "draws"
    from (
      select t."id", ${sql.raw(contractPriceOf('t'))} as "price" from "homes" t
      where t."organizationId" = ${organizationId} and t."id" = any(${homeIds}::text[])
    ) as h`.execute(db)
  return new Map(rows.map(({ homeId, ...billing }) => [homeId, billing]))
}
