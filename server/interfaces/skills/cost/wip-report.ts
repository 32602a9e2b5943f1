import { sql } from 'kysely'
import type { WipAtClosingRow, WipReportInput, WipReportResult, WipRow } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { type CostedHome, findCostedHomes } from '../frame/costed-homes.ts'
import { getToday, selectSentences, truncateRows, withReportFooter } from '../frame/report.ts'
import { calculateWip } from './wip.ts'

const MAX_HOMES = 500

/** Every home but those that will not be built. */
const STATUSES = [
  ...(['planning', 'permitting', 'ready_to_start', 'under_construction', 'on_hold', 'completed'] as const),
  ...(['closed', 'warranty', 'archived'] as const),
]

/**
 * The schedule of work in progress at the end of a day. Revenue is earned over time or at closing, as the sale of each
 * home says. Billed amounts beyond the earned ones are a contract liability, earned amounts beyond the billed ones a
 * contract asset.
 */
export async function wipReport({ asOf, communityId }: WipReportInput, call: Call): Promise<WipReportResult> {
  const today = getToday(call)
  const through = asOf ?? today
  const yearStart = `${through.slice(0, 4)}-01-01`
  const requested = { communityId, statuses: STATUSES, openOn: yearStart, ...(through < today && { through }) }
  const found = truncateRows(await findCostedHomes(call, requested, MAX_HOMES), MAX_HOMES)
  const isOpen = ({ closingDate }: CostedHome) => closingDate === null || closingDate > through
  const overTime = found.rows.filter((home) => home.revenueMethod === 'over_time' && isOpen(home))
  const billings = await findBillings(
    call,
    overTime.map(({ homeId }) => homeId),
    through,
  )
  const homes = overTime.map((home) =>
    toWipRow(home, billings.get(home.homeId) ?? { billed: 0, deposits: 0, draws: 0 }, call.currency),
  )
  const atClosing = found.rows
    .filter(({ revenueMethod }) => revenueMethod !== 'over_time')
    .map((home) => rowAtClosing(home, isOpen(home)))
  const of = (figure: (row: WipRow) => number) => sum(homes.map(figure))
  return {
    ...{ through, homes },
    total: {
      ...{ contract: of((row) => row.contract), estimatedCost: of((row) => row.estimatedCost) },
      ...{ costToDate: of((row) => row.costToDate), earned: of((row) => row.earned), billed: of((row) => row.billed) },
      overbilled: of(({ overUnder }) => Math.max(overUnder, 0)),
      underbilled: of(({ overUnder }) => Math.max(-overUnder, 0)),
      lossProvision: of((row) => row.lossProvision),
    },
    atClosing,
    inventory: sum(atClosing.map(({ inventory }) => inventory)),
    revenue: sum(atClosing.map(({ revenue }) => revenue)),
    costOfSales: sum(atClosing.map(({ costToDate, inventory }) => subtract(costToDate, inventory))),
    ...withReportFooter(call, {
      truncated: found.truncated,
      unknown: selectSentences(
        through < today && 'Estimated costs and contracts are as of today.',
        through < today && 'Orders that continued after that date count only with the amount invoiced by that date.',
        atClosing.some(({ revenue }) => revenue !== 0) && `Closed homes are those of ${through.slice(0, 4)}.`,
      ),
    }),
    currency: call.currency,
  }
}

function toWipRow(home: CostedHome, { billed, deposits, draws }: Billing, currency: string): WipRow {
  const { homeId, estimatedCost, costToDate } = home
  const contract = home.contractPrice ?? 0
  // Orders do not say yet which of their materials are stored and not installed.
  const uninstalledMaterials = 0
  return {
    ...{ homeId, home: home.home, contract, estimatedCost, costToDate, uninstalledMaterials },
    ...calculateWip({ contract, estimatedCost, costToDate, uninstalledMaterials, billed, currency }),
    ...{ billed, deposits, draws },
  }
}

function rowAtClosing(home: CostedHome, isOpen: boolean): WipAtClosingRow {
  const { homeId, contractPrice: contract, costToDate, closingDate } = home
  return {
    ...{ homeId, home: home.home, contract, costToDate, closingDate: isOpen ? null : closingDate },
    ...{ revenue: isOpen ? 0 : (contract ?? 0), inventory: isOpen ? costToDate : 0 },
  }
}

interface Billing {
  billed: number
  deposits: number
  draws: number
}

async function findBillings(call: Call, homeIds: string[], through: string): Promise<Map<string, Billing>> {
  const { organizationId, db } = call
  const { rows } = await sql<Billing & { homeId: string }>`
    select h."id" as "homeId",
      coalesce((
        select sum(a."billedAmount") from "applications" a
        join "sales" s on s."organizationId" = a."organizationId" and s."id" = a."saleId" and s."status" <> 'cancelled'
        where a."organizationId" = ${organizationId} and a."homeId" = h."id" and a."periodTo" <= ${through}::date
          and a."status" in ('certified', 'partially_paid', 'paid')), 0) as "billed",
      coalesce((
        select sum((d ->> 'amount')::numeric) from "sales" s, jsonb_array_elements(s."deposits"::jsonb) as d
        where s."organizationId" = ${organizationId} and s."homeId" = h."id" and s."status" <> 'cancelled'
          and d ->> 'status' = 'received' and (d ->> 'receivedDate')::date <= ${through}::date), 0) as "deposits",
      coalesce((
        select sum(w."fundedAmount") from "loanDraws" w
        where w."organizationId" = ${organizationId} and w."homeId" = h."id" and w."fundedDate" <= ${through}::date
          and coalesce(w."repaidDate", 'infinity') > ${through}::date), 0) as "draws"
    from unnest(${homeIds}::text[]) as h ("id")`.execute(db)
  return new Map(rows.map(({ homeId, ...billing }) => [homeId, billing]))
}
