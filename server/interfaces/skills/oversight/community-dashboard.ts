import type { CommunityDashboardInput, CommunityDashboardResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { marginReport } from '../cost/margin-report.ts'
import { varianceReport } from '../cost/variance-report.ts'
import { withReportFooter } from '../frame/report.ts'
import { backlogReport } from '../sales/backlog-report.ts'
import { cycleTimeReport } from '../schedule/cycle-time-report.ts'
import { findLateTasks } from '../schedule/find-late-tasks.ts'

/** Combines the reports of its parts, so that it never contradicts them. */
export async function communityDashboard(
  { communityId }: CommunityDashboardInput,
  call: Call,
): Promise<CommunityDashboardResult> {
  const [community, summary] = [
    await call.operation('getCommunity', { communityId }),
    await call.operation('getCommunitySummary', { communityId }),
  ]
  const [margins, variances, cycle, late, backlog] = await Promise.all([
    marginReport({ communityId }, call),
    varianceReport({ communityId, groupBy: 'reason' }, call),
    cycleTimeReport({ communityId }, call),
    findLateTasks({ communityId }, call),
    backlogReport({ communityId }, call),
  ])
  const parts = [margins, variances, cycle, late, backlog]
  return {
    ...{ communityId, community: community.name, homesByStatus: { ...summary.homesByStatus } },
    ...{ startsThisMonth: summary.startsThisMonth, closings: margins.homes.length, closedRevenue: margins.price },
    ...{ marginPercent: margins.marginPercent, backlog: backlog.count, backlogValue: backlog.value },
    ...{ varianceAmount: variances.amount, variancePercentOfBudget: variances.percentOfBudget },
    ...{ meanCycleDays: cycle.meanDays, lateTasks: late.tasks.length },
    ...withReportFooter(call, {
      truncated: parts.some(({ truncated }) => truncated),
      unknown: [...new Set(margins.unknown.concat(backlog.unknown))],
    }),
    currency: call.currency,
  }
}
