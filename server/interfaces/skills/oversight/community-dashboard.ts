import type { CommunityDashboardInput, CommunityDashboardResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { reportMargins } from '../cost/margin-report.ts'
import { reportVariances } from '../cost/variance-report.ts'
import { createReportFooter } from '../frame/report.ts'
import { reportBacklog } from '../sales/backlog-report.ts'
import { reportCycleTimes } from '../schedule/cycle-time-report.ts'
import { findLateTasks } from '../schedule/find-late-tasks.ts'

/** Builds the dashboard from existing reports, so that it never contradicts them. */
export async function buildCommunityDashboard(
  { communityId }: CommunityDashboardInput,
  call: Call,
): Promise<CommunityDashboardResult> {
  const [community, summary] = [
    await call.operation('getCommunity', { communityId }),
    await call.operation('getCommunitySummary', { communityId }),
  ]
  const [margins, variances, cycle, late, backlog] = await Promise.all([
    reportMargins({ communityId }, call),
    reportVariances({ communityId, groupBy: 'reason' }, call),
    reportCycleTimes({ communityId }, call),
    findLateTasks({ communityId }, call),
    reportBacklog({ communityId }, call),
  ])
  const parts = [margins, variances, cycle, late, backlog]
  return {
    ...{ communityId, community: community.name, homesByStatus: { ...summary.homesByStatus } },
    ...{ startsThisMonth: summary.startsThisMonth, closings: margins.homes.length, closedRevenue: margins.price },
    ...{ marginPercent: margins.marginPercent, backlog: backlog.count, backlogValue: backlog.value },
    ...{ varianceAmount: variances.amount, variancePercentOfBudget: variances.percentOfBudget },
    ...{ meanCycleDays: cycle.meanDays, lateTasks: late.tasks.length },
    ...createReportFooter(call, {
      truncated: parts.some(({ truncated }) => truncated),
      unknown: [...new Set(margins.unknown.concat(backlog.unknown))],
    }),
    currency: call.currency,
  }
}
