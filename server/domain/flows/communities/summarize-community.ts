import type { Community, CommunitySummary } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { computeAverage } from '../../../platform/values/money.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import * as figures from './summary-queries.ts'

/** The number of months in a summary of the API contract. */
const MONTHS = 12

/**
 * Returns the summary of a community. The number of statements does not depend on the number of homes or orders. Omits
 * figures that the caller may not read.
 */
export async function summarizeCommunity(call: Call, community: Community): Promise<CommunitySummary> {
  const { id: communityId, lotCount } = community
  const months = listLastMonths(toLocalDate(community.timeZone, call.now))
  const since = months[0] ?? ''
  const may = (permission: string) => call.permissions.has(permission)
  const [homes, completed, budget, openOrders, bidRequests, sales] = await Promise.all([
    figures.summarizeHomes(call, communityId, months),
    figures.listHomesCompletedSince(call, communityId, since),
    may('budgets:read') ? figures.summarizeBudget(call, communityId) : null,
    may('pos:read') ? figures.summarizeOpenOrders(call, communityId) : null,
    may('bids:read') ? figures.summarizeBidRequests(call, communityId) : null,
    may('sales:read') ? figures.summarizeSales(call, communityId) : null,
  ])
  const calendar = createWorkCalendar(community)
  const days = completed.map(({ startDate, actualCompletionDate }) =>
    calendar.between(startDate, addDays(actualCompletionDate, 1)),
  )
  return {
    communityId,
    homesByStatus: homes.byStatus,
    lotsTaken: homes.lotsTaken,
    lotsFree: lotCount === null ? null : Math.max(lotCount - homes.lotsTaken, 0),
    startsThisMonth: homes.starts.at(-1) ?? 0,
    starts: months.map((month, i) => ({ month, starts: homes.starts[i] ?? 0 })),
    completions: homes.completions,
    averageCycleDays: days.length === 0 ? null : computeAverage(days),
    budget,
    openOrders,
    bidRequests,
    sales,
    asOf: call.now.toISOString(),
    currency: call.currency,
  }
}

/** Returns the first days of the last months, oldest first. The last of these months is the month of `today`. */
function listLastMonths(today: string): string[] {
  const [year = 0, month = 0] = today.split('-').map(Number)
  return Array.from({ length: MONTHS }, (_, i) =>
    new Date(Date.UTC(year, month - MONTHS + i, 1)).toISOString().slice(0, 10),
  )
}
