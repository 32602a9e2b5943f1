import type { FindHomesOverBudgetResult, HomeStatus } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { subtract, sum, toPercentage } from '../../../platform/values/money.ts'
import { findCostedHomes } from '../frame/costed-homes.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'
import type { WorkLimit } from '../frame/work-limit.ts'

const MAX_HOMES = 2000
const MAX_LISTED = 200
/** The statuses of homes that can still incur costs. */
const STATUSES: readonly HomeStatus[] = [
  'planning',
  'permitting',
  'ready_to_start',
  'under_construction',
  'completed',
  'on_hold',
]

/** Reports the homes whose estimated cost exceeds their budget, largest excess first. */
export async function findHomesOverBudget(
  { communityId, minOverBy }: Checked['FindHomesOverBudgetInput'],
  call: Call,
  workLimit: WorkLimit,
): Promise<FindHomesOverBudgetResult> {
  const found = truncateRows(await findCostedHomes(call, { communityId, statuses: STATUSES }, MAX_HOMES), MAX_HOMES)
  workLimit.spend(found.rows.length)
  const budgeted = found.rows.filter((home) => home.budgeted > 0)
  const over = budgeted
    .map(({ homeId, home, status, budgeted, committed, pendingCommitted, costToDate, estimatedCost }) => {
      const overBy = subtract(estimatedCost, budgeted)
      return {
        ...{ homeId, home, status, budgeted, committed, pendingCommitted, costToDate, estimatedCost },
        ...{ overBy, overPercent: toPercentage(overBy, budgeted) },
      }
    })
    .filter(({ overBy }) => overBy > minOverBy)
    .sort((a, b) => b.overBy - a.overBy || (a.homeId < b.homeId ? -1 : 1))
  const listed = truncateRows(over, MAX_LISTED)
  const unbudgeted = found.rows.length - budgeted.length
  return {
    ...{ homesChecked: budgeted.length, overCount: over.length, overBy: sum(over.map(({ overBy }) => overBy)) },
    homes: listed.rows,
    ...createReportFooter(call, {
      truncated: found.truncated || listed.truncated,
      unknown: unbudgeted > 0 ? [`Homes without a budget are excluded: ${unbudgeted}.`] : [],
    }),
    currency: call.currency,
  }
}
