import type { CompositeSkills } from '../../../client/skills.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { CheckedSkills } from '../../platform/calls/checked.gen.ts'
import { awardBid } from './bidding/award-bid.ts'
import { bidHistory } from './bidding/bid-history.ts'
import { extendBidDeadline } from './bidding/extend-bid-deadline.ts'
import { findBidCoverageGaps } from './bidding/find-bid-coverage-gaps.ts'
import { findUnboughtScopes } from './bidding/find-unbought-scopes.ts'
import { levelBids } from './bidding/level-bids.ts'
import { recommendAward } from './bidding/recommend-award.ts'
import { requestBidsForHome } from './bidding/request-bids-for-home.ts'
import { sendBidReminders } from './bidding/send-bid-reminders.ts'
import { splitAward } from './bidding/split-award.ts'
import { suggestVendorsForScope } from './bidding/suggest-vendors-for-scope.ts'
import { createBackcharge } from './buying/create-backcharge.ts'
import { createChangePoFromSelection } from './buying/create-change-po-from-selection.ts'
import { createVariancePo } from './buying/create-variance-po.ts'
import { draftPurchaseOrders } from './buying/draft-purchase-orders.ts'
import { issuePurchaseOrders } from './buying/issue-purchase-orders.ts'
import { priceTakeoff } from './buying/price-takeoff.ts'
import { purchaseForecast } from './buying/purchase-forecast.ts'
import { reassignVendor } from './buying/reassign-vendor.ts'
import { budgetVsActual } from './cost/budget-vs-actual.ts'
import { cashFlowForecast } from './cost/cash-flow-forecast.ts'
import { committedCostAging } from './cost/committed-cost-aging.ts'
import { costPerSquareFoot } from './cost/cost-per-square-foot.ts'
import { detectOverCommittedBudgets } from './cost/detect-over-committed-budgets.ts'
import { drawRequest } from './cost/draw-request.ts'
import { forecastCostAtCompletion } from './cost/forecast-cost-at-completion.ts'
import { marginReport } from './cost/margin-report.ts'
import { retainageSummary } from './cost/retainage-summary.ts'
import { simulatePriceIncrease } from './cost/simulate-price-increase.ts'
import { varianceReport } from './cost/variance-report.ts'
import { vendorStatement } from './cost/vendor-statement.ts'
import { wipReport } from './cost/wip-report.ts'
import type { WorkLimit } from './frame/work-limit.ts'
import { approveTimesheets } from './oversight/approve-timesheets.ts'
import { cloneHomeSetup } from './oversight/clone-home-setup.ts'
import { closingReadiness } from './oversight/closing-readiness.ts'
import { communityDashboard } from './oversight/community-dashboard.ts'
import { exceptionsToday } from './oversight/exceptions-today.ts'
import { homeSnapshot } from './oversight/home-snapshot.ts'
import { importRows } from './oversight/import-rows.ts'
import { startPackageCheck } from './oversight/start-package-check.ts'
import { timesheetCostSummary } from './oversight/timesheet-cost-summary.ts'
import { allocateOverhead } from './paying/allocate-overhead.ts'
import { findMissingLienWaivers } from './paying/find-missing-lien-waivers.ts'
import { matchInvoice } from './paying/match-invoice.ts'
import { payOnCompletion } from './paying/pay-on-completion.ts'
import { payableNow } from './paying/payable-now.ts'
import { releaseRetainage } from './paying/release-retainage.ts'
import { requestLienWaivers } from './paying/request-lien-waivers.ts'
import { voidPaymentAndReissue } from './paying/void-payment-and-reissue.ts'
import { applySelection } from './sales/apply-selection.ts'
import { backlogReport } from './sales/backlog-report.ts'
import { optionPopularity } from './sales/option-popularity.ts'
import { overdueSelections } from './sales/overdue-selections.ts'
import { priceHome } from './sales/price-home.ts'
import { salesPipelineReport } from './sales/sales-pipeline-report.ts'
import { staleLeads } from './sales/stale-leads.ts'
import { validateSelections } from './sales/validate-selections.ts'
import { compressSchedule } from './schedule/compress-schedule.ts'
import { cycleTimeReport } from './schedule/cycle-time-report.ts'
import { delayAnalysis } from './schedule/delay-analysis.ts'
import { evenFlowPlan } from './schedule/even-flow-plan.ts'
import { findLateTasks } from './schedule/find-late-tasks.ts'
import { forecastHomeCompletion } from './schedule/forecast-home-completion.ts'
import { lookahead } from './schedule/lookahead.ts'
import { notifyVendorsOfSchedule } from './schedule/notify-vendors-of-schedule.ts'
import { requestStartConfirmations } from './schedule/request-start-confirmations.ts'
import { concentrationRisk } from './vendors/concentration-risk.ts'
import { findExpiringInsurance } from './vendors/find-expiring-insurance.ts'
import { findInactiveVendors } from './vendors/find-inactive-vendors.ts'
import { mergeVendors } from './vendors/merge-vendors.ts'
import { onboardVendor } from './vendors/onboard-vendor.ts'
import { rankVendors } from './vendors/rank-vendors.ts'

/** The input was validated against the skill's schema, and every reference in it is the ID of an existing record. */
type Composites = {
  [Name in keyof CompositeSkills]: (
    input: CheckedSkills[Name],
    call: Call,
    workLimit: WorkLimit,
  ) => Promise<CompositeSkills[Name]['result']>
}

/** The function of each composite skill. If the contract declares a skill without one, this does not compile. */
const composites: Composites = {
  awardBid,
  suggestVendorsForScope,
  detectOverCommittedBudgets,
  forecastCostAtCompletion,
  budgetVsActual,
  marginReport,
  wipReport,
  cashFlowForecast,
  varianceReport,
  costPerSquareFoot,
  committedCostAging,
  drawRequest,
  simulatePriceIncrease,
  retainageSummary,
  vendorStatement,
  levelBids,
  recommendAward,
  splitAward,
  sendBidReminders,
  extendBidDeadline,
  requestBidsForHome,
  findBidCoverageGaps,
  bidHistory,
  findUnboughtScopes,
  forecastHomeCompletion,
  compressSchedule,
  lookahead,
  findLateTasks,
  cycleTimeReport,
  delayAnalysis,
  evenFlowPlan,
  requestStartConfirmations,
  rankVendors,
  findExpiringInsurance,
  concentrationRisk,
  findInactiveVendors,
  salesPipelineReport,
  staleLeads,
  backlogReport,
  optionPopularity,
  validateSelections,
  overdueSelections,
  homeSnapshot,
  communityDashboard,
  exceptionsToday,
  closingReadiness,
  startPackageCheck,
  payableNow,
  payOnCompletion,
  releaseRetainage,
  requestLienWaivers,
  findMissingLienWaivers,
  matchInvoice,
  voidPaymentAndReissue,
  allocateOverhead,
  priceTakeoff,
  draftPurchaseOrders,
  issuePurchaseOrders,
  createVariancePo,
  createChangePoFromSelection,
  createBackcharge,
  reassignVendor,
  purchaseForecast,
  mergeVendors,
  onboardVendor,
  notifyVendorsOfSchedule,
  priceHome,
  applySelection,
  timesheetCostSummary,
  approveTimesheets,
  importRows,
  cloneHomeSetup,
}

/** A composite skill that is found by name. The catalog has validated its input. */
export type AnyComposite = (input: Record<string, unknown>, call: Call, workLimit: WorkLimit) => Promise<object>
export const COMPOSITES = composites as unknown as Readonly<Record<string, AnyComposite>>
