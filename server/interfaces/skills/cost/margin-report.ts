import type { MarginReportInput, MarginReportResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { findLedgerHomes, type LedgerHome } from '../frame/ledger-homes.ts'
import { explainEarlyDate } from '../frame/ledger-start.ts'
import { createReportFooter, getToday, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

const MAX_HOMES = 500

/**
 * Reports the gross margin and the margin fade of homes that closed in a period. The homes can have any status now. The
 * fade is the margin at the time when the budget was locked and the sale approved, minus the final margin. Changes that
 * were sold later cause a fade only if they cost more than their price.
 */
export async function reportMargins(
  { communityId, asOf, knownAt, ...input }: MarginReportInput,
  call: Call,
): Promise<MarginReportResult> {
  const { from, to } = toReportPeriod(call, input)
  const through = asOf ?? getToday(call)
  const requested = { communityId, closed: { from, to }, through, knownAt, includesPending: false }
  const { rows, truncated } = truncateRows(await findLedgerHomes(call, requested, MAX_HOMES), MAX_HOMES)
  const homes = rows.flatMap(computeMargin)
  homes.sort((a, b) => (a.marginPercent ?? 0) - (b.marginPercent ?? 0) || (a.home < b.home ? -1 : 1))
  const [price, cost] = [sum(homes.map((home) => home.price)), sum(homes.map((home) => home.cost))]
  const unpriced = rows.length - homes.length
  const unbudgeted = rows.filter(({ baselineBudget }) => baselineBudget === 0).length
  const margin = subtract(price, cost)
  return {
    ...{ from, to, through, homes, price, cost, margin, marginPercent: toPercentage(margin, price) },
    fade: sum(homes.map((home) => home.fade)),
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        await explainEarlyDate(call, through),
        unpriced > 0 && `Closed homes without a price are excluded: ${unpriced}.`,
        unbudgeted > 0 &&
          `Homes without a locked budget: ${unbudgeted}. The entire cost of these homes counts as margin fade.`,
        'Land, overhead, financing, and commissions are included only if they were ordered, billed, or posted to the ledger.',
      ),
    }),
    currency: call.currency,
  }
}

function computeMargin(of: LedgerHome): MarginReportResult['homes'] {
  const { homeId, home, closingDate } = of
  const price = of.contract ?? of.price
  if (price === null || closingDate === null) return []
  const { finalCost: cost, baselineBudget: baselineCost } = of
  const margin = subtract(price, cost)
  const baselinePrice = of.contract === null || !of.hasBaseline ? price : of.baselineContract
  const baselineMargin = subtract(baselinePrice, baselineCost)
  const fade = subtract(baselineMargin, margin)
  const fadeFromCost = subtract(cost, of.budget)
  return [
    {
      ...{ homeId, home, closingDate, price, cost, margin, marginPercent: toPercentage(margin, price) },
      ...{ baselinePrice, baselineCost, baselineMargin },
      ...{ fade, fadePercent: toPercentage(fade, price), fadeFromChanges: subtract(fade, fadeFromCost), fadeFromCost },
    },
  ]
}
