import { sql } from 'kysely'
import type { WipAtClosingRow, WipReportInput, WipReportResult, WipRow } from '../../../../client/contract.gen.ts'
import { toPostingConditions } from '../../../domain/ledger/posting-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { findLedgerHomes, type LedgerHome } from '../frame/ledger-homes.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'
import { calculateWip } from './wip.ts'

const MAX_HOMES = 500

/**
 * Reports work in progress (WIP) at the end of a day. Revenue is earned over time or at closing, depending on the sale
 * of each home. If the billed amount exceeds the earned amount, the difference is a contract liability. If the earned
 * amount exceeds the billed amount, the difference is a contract asset. Costs, contracts, locked budgets, billings,
 * deposits, and draws are ledger balances, so a report for a past day never changes.
 */
export async function reportWorkInProgress(
  { asOf, knownAt, communityId }: WipReportInput,
  call: Call,
): Promise<WipReportResult> {
  const today = getToday(call)
  const through = asOf ?? today
  const yearStart = `${through.slice(0, 4)}-01-01`
  const isPast = through < today || knownAt !== undefined
  const requested = { communityId, openOn: yearStart, through, knownAt, includesPending: !isPast }
  const found = truncateRows(await findLedgerHomes(call, requested, MAX_HOMES), MAX_HOMES)
  const isOpen = ({ closingDate }: LedgerHome) => closingDate === null || closingDate > through
  const overTime = found.rows.filter((home) => home.revenueMethod === 'over_time' && isOpen(home))
  const billings = await findBillings(
    call,
    overTime.map(({ homeId }) => homeId),
    { through, knownAt },
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
    ...createReportFooter(call, {
      truncated: found.truncated,
      unknown: selectSentences(
        await explainEarlyDate(call, through),
        isPast && 'Orders that awaited approval on the report date are excluded from estimated costs.',
        through < today &&
          found.rows.some(({ isUnlocked }) => isUnlocked) &&
          'Budgets that were not locked by the report date are as of today.',
        atClosing.some(({ revenue }) => revenue !== 0) &&
          `Closed homes are included only if they closed in ${through.slice(0, 4)}.`,
      ),
    }),
    currency: call.currency,
  }
}

function toWipRow(home: LedgerHome, { billed, deposits, draws }: Billing, currency: string): WipRow {
  const { homeId, estimatedCost, cost: costToDate, storedMaterials: uninstalledMaterials } = home
  const contract = home.contract ?? 0
  return {
    ...{ homeId, home: home.home, contract, estimatedCost, costToDate, uninstalledMaterials },
    ...calculateWip({ contract, estimatedCost, costToDate, uninstalledMaterials, billed, currency }),
    ...{ billed, deposits, draws },
  }
}

function rowAtClosing(home: LedgerHome, isOpen: boolean): WipAtClosingRow {
  const { homeId, contract, cost: costToDate, closingDate } = home
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

async function findBillings(
  call: Call,
  homeIds: string[],
  { through, knownAt }: { through: string; knownAt: string | undefined },
): Promise<Map<string, Billing>> {
  const conditions = toPostingConditions(call, { to: through, knownAt })
  const { rows } = await sql<Billing & { homeId: string }>`
    select p."homeId", coalesce(sum(p."amount") filter (where p."measure" = 'ownerBilled'), 0) as "billed",
      coalesce(sum(p."amount") filter (where p."measure" = 'ownerDeposit'), 0) as "deposits",
      coalesce(sum(p."amount") filter (where p."measure" = 'loan'), 0) as "draws"
    from "postings" p
    where ${sql.join(conditions, sql` and `)} and p."homeId" = any(${homeIds}::text[])
      and p."measure" in ('ownerBilled', 'ownerDeposit', 'loan')
    group by p."homeId"`.execute(call.db)
  return new Map(rows.map(({ homeId, ...billing }) => [homeId, billing]))
}
