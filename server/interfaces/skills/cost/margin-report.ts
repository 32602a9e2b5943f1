import type { MarginReportInput, MarginReportResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { type CostedHome, findCostedHomes } from '../frame/costed-homes.ts'
import { selectSentences, toReportPeriod, truncateRows, withReportFooter } from '../frame/report.ts'

const MAX_HOMES = 500

/**
 * Reports the gross margin of closed homes and its fade: the profit that was expected when the budget was locked, less
 * the actual profit. As the price is fixed by then, the fade is the cost above the original budget.
 */
export async function marginReport(input: MarginReportInput, call: Call): Promise<MarginReportResult> {
  const { from, to } = toReportPeriod(call, input)
  const requested = { communityId: input.communityId, statuses: ['closed', 'warranty'] as const, closed: { from, to } }
  const { rows, truncated } = truncateRows(await findCostedHomes(call, requested, MAX_HOMES), MAX_HOMES)
  const homes = rows.flatMap((row) => computeMargin(row))
  homes.sort((a, b) => (a.marginPercent ?? 0) - (b.marginPercent ?? 0) || (a.home < b.home ? -1 : 1))
  const [price, cost] = [sum(homes.map((home) => home.price)), sum(homes.map((home) => home.cost))]
  const unpriced = rows.length - homes.length
  const unbudgeted = rows.filter(({ originalBudgeted }) => originalBudgeted === 0).length
  const margin = subtract(price, cost)
  return {
    ...{ from, to, homes, price, cost, margin, marginPercent: toPercentage(margin, price) },
    ...withReportFooter(call, {
      truncated,
      unknown: selectSentences(
        unpriced > 0 && `Closed homes without a price are excluded: ${unpriced}.`,
        unbudgeted > 0 && `Homes without a budget: ${unbudgeted}. Their entire cost counts as fade.`,
        'Land, overhead, financing and commissions are included only if they were ordered.',
      ),
    }),
    currency: call.currency,
  }
}

function computeMargin({ homeId, home, closingDate, ...of }: CostedHome): MarginReportResult['homes'] {
  const price = of.contractPrice ?? of.price
  if (price === null || closingDate === null) return []
  const cost = sum([of.committed, of.labor])
  const margin = subtract(price, cost)
  const fade = subtract(cost, of.originalBudgeted)
  const percents = { marginPercent: toPercentage(margin, price), fadePercent: toPercentage(fade, price) }
  return [{ homeId, home, closingDate, price, cost, margin, fade, ...percents }]
}
