import type { CompositeSkills } from '../../../client/skills.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { CheckedSkills } from '../../platform/calls/checked.gen.ts'
import { awardBid } from './bidding/award-bid.ts'
import { reportBidHistory } from './bidding/bid-history.ts'
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
import { forecastPurchases } from './buying/purchase-forecast.ts'
import { raisePrices } from './buying/raise-prices.ts'
import { reassignVendor } from './buying/reassign-vendor.ts'
import { reportApAging } from './cost/ap-aging.ts'
import { reportBudgetVsActual } from './cost/budget-vs-actual.ts'
import { forecastCashFlow } from './cost/cash-flow-forecast.ts'
import { reportCommittedCostAging } from './cost/committed-cost-aging.ts'
import { reportCostPerSquareFoot } from './cost/cost-per-square-foot.ts'
import { detectOverCommittedBudgets } from './cost/detect-over-committed-budgets.ts'
import { buildDrawRequest } from './cost/draw-request.ts'
import { findHomesOverBudget } from './cost/find-homes-over-budget.ts'
import { forecastCostAtCompletion } from './cost/forecast-cost-at-completion.ts'
import { reportMargins } from './cost/margin-report.ts'
import { summarizeRetainage } from './cost/retainage-summary.ts'
import { simulatePriceIncrease } from './cost/simulate-price-increase.ts'
import { reportVariances } from './cost/variance-report.ts'
import { buildVendorStatement } from './cost/vendor-statement.ts'
import { reportWorkInProgress } from './cost/wip-report.ts'
import type { WorkLimit } from './frame/work-limit.ts'
import { approveTimesheets } from './oversight/approve-timesheets.ts'
import { cloneHomeSetup } from './oversight/clone-home-setup.ts'
import { checkClosingReadiness } from './oversight/closing-readiness.ts'
import { buildCommunityDashboard } from './oversight/community-dashboard.ts'
import { findExceptionsToday } from './oversight/exceptions-today.ts'
import { buildHomeSnapshot } from './oversight/home-snapshot.ts'
import { importRows } from './oversight/import-rows.ts'
import { checkStartPackage } from './oversight/start-package-check.ts'
import { summarizeTimesheetCosts } from './oversight/timesheet-cost-summary.ts'
import { allocateOverhead } from './paying/allocate-overhead.ts'
import { findMissingLienWaivers } from './paying/find-missing-lien-waivers.ts'
import { matchInvoice } from './paying/match-invoice.ts'
import { payOnCompletion } from './paying/pay-on-completion.ts'
import { findPayableOrders } from './paying/payable-now.ts'
import { releaseRetainage } from './paying/release-retainage.ts'
import { requestLienWaivers } from './paying/request-lien-waivers.ts'
import { voidPaymentAndReissue } from './paying/void-payment-and-reissue.ts'
import { assignPunchItems } from './quality/assign-punch-items.ts'
import { dispatchWarrantyRequest } from './quality/dispatch-warranty-request.ts'
import { handleFailedInspection } from './quality/handle-failed-inspection.ts'
import { buildOwnerAgenda } from './quality/owner-agenda.ts'
import { prepareDailyLog } from './quality/prepare-daily-log.ts'
import { reportPunchAging } from './quality/punch-aging.ts'
import { reportRecurringDefects } from './quality/recurring-defects.ts'
import { triageWarrantyRequest } from './quality/triage-warranty-request.ts'
import { applySelection } from './sales/apply-selection.ts'
import { reportBacklog } from './sales/backlog-report.ts'
import { reportOptionPopularity } from './sales/option-popularity.ts'
import { findOverdueSelections } from './sales/overdue-selections.ts'
import { priceHome } from './sales/price-home.ts'
import { reportSalesPipeline } from './sales/sales-pipeline-report.ts'
import { findStaleLeads } from './sales/stale-leads.ts'
import { validateSelections } from './sales/validate-selections.ts'
import { compressSchedule } from './schedule/compress-schedule.ts'
import { reportCycleTimes } from './schedule/cycle-time-report.ts'
import { analyzeDelays } from './schedule/delay-analysis.ts'
import { planEvenFlow } from './schedule/even-flow-plan.ts'
import { findLateTasks } from './schedule/find-late-tasks.ts'
import { forecastHomeCompletion } from './schedule/forecast-home-completion.ts'
import { planLookahead } from './schedule/lookahead.ts'
import { notifyVendorsOfSchedule } from './schedule/notify-vendors-of-schedule.ts'
import { requestStartConfirmations } from './schedule/request-start-confirmations.ts'
import { reportConcentrationRisk } from './vendors/concentration-risk.ts'
import { findExpiringInsurance } from './vendors/find-expiring-insurance.ts'
import { findInactiveVendors } from './vendors/find-inactive-vendors.ts'
import { mergeVendors } from './vendors/merge-vendors.ts'
import { onboardVendor } from './vendors/onboard-vendor.ts'
import { rankVendors } from './vendors/rank-vendors.ts'
import { sendInsuranceReminders } from './vendors/send-insurance-reminders.ts'

/**
 * The functions of the composite skills. The input was validated against the skill's schema, and every reference in the
 * input is already the ID of an existing record.
 */
type Composites = {
  [Name in keyof CompositeSkills]: (
    input: CheckedSkills[Name],
    call: Call,
    workLimit: WorkLimit,
  ) => Promise<CompositeSkills[Name]['result']>
}

/**
 * The functions of the composite skills. If the contract declares a composite skill without a function, the code does
 * not compile.
 */
const composites: Composites = {
  awardBid,
  suggestVendorsForScope,
  detectOverCommittedBudgets,
  forecastCostAtCompletion,
  budgetVsActual: reportBudgetVsActual,
  marginReport: reportMargins,
  wipReport: reportWorkInProgress,
  cashFlowForecast: forecastCashFlow,
  varianceReport: reportVariances,
  costPerSquareFoot: reportCostPerSquareFoot,
  committedCostAging: reportCommittedCostAging,
  drawRequest: buildDrawRequest,
  simulatePriceIncrease,
  retainageSummary: summarizeRetainage,
  apAging: reportApAging,
  vendorStatement: buildVendorStatement,
  levelBids,
  recommendAward,
  splitAward,
  sendBidReminders,
  extendBidDeadline,
  requestBidsForHome,
  findBidCoverageGaps,
  bidHistory: reportBidHistory,
  findUnboughtScopes,
  forecastHomeCompletion,
  compressSchedule,
  lookahead: planLookahead,
  findLateTasks,
  cycleTimeReport: reportCycleTimes,
  delayAnalysis: analyzeDelays,
  evenFlowPlan: planEvenFlow,
  requestStartConfirmations,
  rankVendors,
  findExpiringInsurance,
  concentrationRisk: reportConcentrationRisk,
  findInactiveVendors,
  salesPipelineReport: reportSalesPipeline,
  staleLeads: findStaleLeads,
  backlogReport: reportBacklog,
  optionPopularity: reportOptionPopularity,
  validateSelections,
  overdueSelections: findOverdueSelections,
  homeSnapshot: buildHomeSnapshot,
  communityDashboard: buildCommunityDashboard,
  exceptionsToday: findExceptionsToday,
  closingReadiness: checkClosingReadiness,
  startPackageCheck: checkStartPackage,
  payableNow: findPayableOrders,
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
  purchaseForecast: forecastPurchases,
  mergeVendors,
  onboardVendor,
  notifyVendorsOfSchedule,
  priceHome,
  applySelection,
  timesheetCostSummary: summarizeTimesheetCosts,
  approveTimesheets,
  importRows,
  cloneHomeSetup,
  findHomesOverBudget,
  raisePrices,
  sendInsuranceReminders,
  assignPunchItems,
  punchAging: reportPunchAging,
  triageWarrantyRequest,
  prepareDailyLog,
  handleFailedInspection,
  dispatchWarrantyRequest,
  recurringDefects: reportRecurringDefects,
  ownerAgenda: buildOwnerAgenda,
}

/** The function of a composite skill that was found by name. The catalog has validated the skill's input. */
export type AnyComposite = (input: Record<string, unknown>, call: Call, workLimit: WorkLimit) => Promise<object>
export const COMPOSITES = composites as unknown as Readonly<Record<string, AnyComposite>>
