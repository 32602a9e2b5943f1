import type { MarginReportInput, MarginReportResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { minus, percentage, sum } from '../../../platform/values/money.ts'
import { type CostedHome, costedHomes } from '../frame/costed-homes.ts'
import { listed, periodOf, reported, sentences } from '../frame/report.ts'

const MOST_HOMES = 500

/**
 * Reports the gross margin of closed homes and its fade: the profit that was expected when the budget was locked, less
 * the actual profit. As the price is fixed by then, the fade is the cost above the original budget.
 */
export async function marginReport(input: MarginReportInput, call: Call): Promise<MarginReportResult> {
  const { from, to } = periodOf(call, input)
  const wanted = { communityId: input.communityId, statuses: ['closed', 'warranty'] as const, closed: { from, to } }
  const { rows, truncated } = listed(await costedHomes(call, wanted, MOST_HOMES), MOST_HOMES)
  const homes = rows.flatMap((row) => marginOf(row))
  homes.sort((a, b) => (a.marginPercent ?? 0) - (b.marginPercent ?? 0) || (a.home < b.home ? -1 : 1))
  const [price, cost] = [sum(homes.map((home) => home.price)), sum(homes.map((home) => home.cost))]
  const unpriced = rows.length - homes.length
  const unbudgeted = rows.filter(({ originalBudgeted }) => originalBudgeted === 0).length
  const margin = minus(price, cost)
  return {
    ...{ from, to, homes, price, cost, margin, marginPercent: percentage(margin, price) },
    ...reported(call, {
      truncated,
      unknown: sentences(
        unpriced > 0 && `Closed homes without a price are excluded: ${unpriced}.`,
        unbudgeted > 0 && `Homes without a budget: ${unbudgeted}. Their entire cost counts as fade.`,
        'Land, overhead, financing and commissions are included only if they were ordered.',
      ),
    }),
    currency: call.currency,
  }
}

function marginOf({ homeId, home, closingDate, ...of }: CostedHome): MarginReportResult['homes'] {
  const price = of.contractPrice ?? of.price
  if (price === null || closingDate === null) return []
  const cost = sum([of.committed, of.labor])
  const margin = minus(price, cost)
  const fade = minus(cost, of.originalBudgeted)
  const percents = { marginPercent: percentage(margin, price), fadePercent: percentage(fade, price) }
  return [{ homeId, home, closingDate, price, cost, margin, fade, ...percents }]
}
