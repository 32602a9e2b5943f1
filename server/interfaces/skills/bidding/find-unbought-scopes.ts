import type { FindUnboughtScopesInput, FindUnboughtScopesResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { countDaysBetween } from '../../../platform/values/calendar.ts'
import { sum } from '../../../platform/values/money.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, getToday, selectSentences, truncateRows } from '../frame/report.ts'
import { findTradeCoverage } from './coverage.ts'

const MAX_SCOPES = 200

export async function findUnboughtScopes(
  { homeId }: FindUnboughtScopesInput,
  call: Call,
): Promise<FindUnboughtScopesResult> {
  const [{ home }, found] = await Promise.all([
    findHomeOverview(call, homeId),
    findTradeCoverage(call, { homeId, onlyUnbought: true }, MAX_SCOPES),
  ])
  const { rows, truncated } = truncateRows(found, MAX_SCOPES)
  const today = getToday(call)
  const scopes = rows.map(({ scope, budgeted, pending, neededOn, bids, hasContract, isOutForBids }) => ({
    ...{ scope, budgeted, pending, neededOn, bids, hasContract, isOutForBids },
    daysLeft: neededOn === null ? null : countDaysBetween(today, neededOn),
  }))
  const whenOf = ({ neededOn }: { neededOn: string | null }) => neededOn ?? '9999-12-31'
  scopes.sort((a, b) => (whenOf(a) < whenOf(b) ? -1 : whenOf(a) > whenOf(b) ? 1 : b.budgeted - a.budgeted))
  return {
    ...{ homeId, home, scopes, unbought: sum(scopes.map(({ budgeted }) => budgeted)) },
    ...createReportFooter(call, {
      truncated,
      unknown: selectSentences(
        scopes.some(({ neededOn }) => neededOn === null) &&
          'Trades without a task in the schedule have no date by which they are needed.',
        'A trade counts as bought with its first order, even if the order covers only part of the work.',
      ),
    }),
    currency: call.currency,
  }
}
