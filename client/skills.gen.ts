/** Made from the x-skills of the contract by `npm run generate`. */
import type { AllocateOverheadInput, AllocateOverheadResult, ApplySelectionInput, ApplySelectionResult, ApproveTimesheetsInput, ApproveTimesheetsResult, AwardBidInput, AwardBidResult, BacklogReportInput, BacklogReportResult, BidHistoryInput, BidHistoryResult, BudgetVsActualInput, BudgetVsActualResult, CashFlowForecastInput, CashFlowForecastResult, CloneHomeSetupInput, CloneHomeSetupResult, ClosingReadinessInput, CommittedCostAgingInput, CommittedCostAgingResult, CommunityDashboardInput, CommunityDashboardResult, CompressScheduleInput, CompressScheduleResult, ConcentrationRiskInput, ConcentrationRiskResult, CostPerSquareFootInput, CostPerSquareFootResult, CreateBackchargeInput, CreateBackchargeResult, CreateChangePoFromSelectionInput, CreateChangePoFromSelectionResult, CreateVariancePoInput, CreateVariancePoResult, CycleTimeReportInput, CycleTimeReportResult, DelayAnalysisInput, DelayAnalysisResult, DetectOverCommittedBudgetsInput, DetectOverCommittedBudgetsResult, DraftPurchaseOrdersInput, DraftPurchaseOrdersResult, DrawRequestInput, DrawRequestResult, EvenFlowPlanInput, EvenFlowPlanResult, ExceptionsTodayInput, ExceptionsTodayResult, ExtendBidDeadlineInput, ExtendBidDeadlineResult, FindBidCoverageGapsInput, FindBidCoverageGapsResult, FindExpiringInsuranceInput, FindExpiringInsuranceResult, FindInactiveVendorsInput, FindInactiveVendorsResult, FindLateTasksInput, FindLateTasksResult, FindMissingLienWaiversInput, FindMissingLienWaiversResult, FindUnboughtScopesInput, FindUnboughtScopesResult, ForecastCostAtCompletionInput, ForecastCostAtCompletionResult, ForecastHomeCompletionInput, ForecastHomeCompletionResult, HomeSnapshotInput, HomeSnapshotResult, ImportRowsInput, ImportRowsResult, IssuePurchaseOrdersInput, IssuePurchaseOrdersResult, LevelBidsInput, LevelBidsResult, LookaheadInput, LookaheadResult, MarginReportInput, MarginReportResult, MatchInvoiceInput, MatchInvoiceResult, MergeVendorsInput, MergeVendorsResult, NotifyVendorsOfScheduleInput, NotifyVendorsOfScheduleResult, OnboardVendorInput, OnboardVendorResult, OptionPopularityInput, OptionPopularityResult, OverdueSelectionsInput, OverdueSelectionsResult, PayOnCompletionInput, PayOnCompletionResult, PayableNowInput, PayableNowResult, PriceHomeInput, PriceHomeResult, PriceTakeoffInput, PriceTakeoffResult, PurchaseForecastInput, PurchaseForecastResult, RankVendorsInput, RankVendorsResult, ReadinessResult, ReassignVendorInput, ReassignVendorResult, RecommendAwardInput, RecommendAwardResult, ReleaseRetainageInput, ReleaseRetainageResult, RequestBidsForHomeInput, RequestBidsForHomeResult, RequestLienWaiversInput, RequestLienWaiversResult, RequestStartConfirmationsInput, RequestStartConfirmationsResult, RetainageSummaryInput, RetainageSummaryResult, SalesPipelineReportInput, SalesPipelineReportResult, SendBidRemindersInput, SendBidRemindersResult, SimulatePriceIncreaseInput, SimulatePriceIncreaseResult, SplitAwardInput, SplitAwardResult, StaleLeadsInput, StaleLeadsResult, StartPackageCheckInput, SuggestVendorsForScopeInput, SuggestVendorsForScopeResult, TimesheetCostSummaryInput, TimesheetCostSummaryResult, ValidateSelectionsInput, ValidateSelectionsResult, VarianceReportInput, VarianceReportResult, VendorStatementInput, VendorStatementResult, VoidPaymentAndReissueInput, VoidPaymentAndReissueResult, WipReportInput, WipReportResult } from './contract.gen.ts'

export interface CompositeSkills {
  /** Award a bid. Needs bids:read, bids:write. */
  awardBid: { input: AwardBidInput; result: AwardBidResult }
  /** Suggest vendors for a scope. Needs vendors:read, bids:read. */
  suggestVendorsForScope: { input: SuggestVendorsForScopeInput; result: SuggestVendorsForScopeResult }
  /** Find over-committed budgets. Needs homes:read. */
  detectOverCommittedBudgets: { input: DetectOverCommittedBudgetsInput; result: DetectOverCommittedBudgetsResult }
  /** Forecast what a home will cost. Needs homes:read, budgets:read. */
  forecastCostAtCompletion: { input: ForecastCostAtCompletionInput; result: ForecastCostAtCompletionResult }
  /** Compare a home's budget with its costs. Needs homes:read, budgets:read. */
  budgetVsActual: { input: BudgetVsActualInput; result: BudgetVsActualResult }
  /** Report the margins of homes that closed. Needs homes:read, budgets:read. */
  marginReport: { input: MarginReportInput; result: MarginReportResult }
  /** Report the work in progress. Needs homes:read, budgets:read, sales:read. */
  wipReport: { input: WipReportInput; result: WipReportResult }
  /** Forecast the cash of the coming weeks. Needs homes:read, pos:read, payments:read, sales:read. */
  cashFlowForecast: { input: CashFlowForecastInput; result: CashFlowForecastResult }
  /** Report what variances cost. Needs homes:read, pos:read. */
  varianceReport: { input: VarianceReportInput; result: VarianceReportResult }
  /** Compare the cost of a square foot. Needs homes:read, pos:read. */
  costPerSquareFoot: { input: CostPerSquareFootInput; result: CostPerSquareFootResult }
  /** Age the open commitments. Needs homes:read, pos:read. */
  committedCostAging: { input: CommittedCostAgingInput; result: CommittedCostAgingResult }
  /** Put together a draw request. Needs homes:read, milestones:read, budgets:read. */
  drawRequest: { input: DrawRequestInput; result: DrawRequestResult }
  /** Try out a price increase. Needs homes:read, budgets:read. */
  simulatePriceIncrease: { input: SimulatePriceIncreaseInput; result: SimulatePriceIncreaseResult }
  /** Sum up the retainage. Needs homes:read, pos:read. */
  retainageSummary: { input: RetainageSummaryInput; result: RetainageSummaryResult }
  /** Write a vendor's statement. Needs vendors:read, homes:read, pos:read, payments:read. */
  vendorStatement: { input: VendorStatementInput; result: VendorStatementResult }
  /** Level the bids of a request. Needs bids:read. */
  levelBids: { input: LevelBidsInput; result: LevelBidsResult }
  /** Recommend whom to award. Needs bids:read, vendors:read. */
  recommendAward: { input: RecommendAwardInput; result: RecommendAwardResult }
  /** Split an award. Needs bids:read, bids:write. */
  splitAward: { input: SplitAwardInput; result: SplitAwardResult }
  /** Remind vendors of bids. Needs bids:read, bids:write. */
  sendBidReminders: { input: SendBidRemindersInput; result: SendBidRemindersResult }
  /** Extend the deadline of a bid request. Needs bids:read, bids:write. */
  extendBidDeadline: { input: ExtendBidDeadlineInput; result: ExtendBidDeadlineResult }
  /** Request bids for a home. Needs homes:read, budgets:read, vendors:read, bids:read, bids:write, contracts:read. */
  requestBidsForHome: { input: RequestBidsForHomeInput; result: RequestBidsForHomeResult }
  /** Find gaps in the bids. Needs homes:read, budgets:read, bids:read, contracts:read. */
  findBidCoverageGaps: { input: FindBidCoverageGapsInput; result: FindBidCoverageGapsResult }
  /** Show the price history of a trade. Needs bids:read, homes:read, vendors:read. */
  bidHistory: { input: BidHistoryInput; result: BidHistoryResult }
  /** Find what is not bought yet. Needs homes:read, budgets:read, tasks:read, bids:read, contracts:read. */
  findUnboughtScopes: { input: FindUnboughtScopesInput; result: FindUnboughtScopesResult }
  /** Forecast when a home is completed. Needs homes:read, tasks:read, vendors:read. */
  forecastHomeCompletion: { input: ForecastHomeCompletionInput; result: ForecastHomeCompletionResult }
  /** Compress a schedule. Needs homes:read, tasks:read. */
  compressSchedule: { input: CompressScheduleInput; result: CompressScheduleResult }
  /** Look ahead at the coming weeks. Needs homes:read, tasks:read, vendors:read, pos:read. */
  lookahead: { input: LookaheadInput; result: LookaheadResult }
  /** Find late tasks. Needs homes:read, tasks:read, vendors:read. */
  findLateTasks: { input: FindLateTasksInput; result: FindLateTasksResult }
  /** Report cycle times. Needs homes:read, tasks:read. */
  cycleTimeReport: { input: CycleTimeReportInput; result: CycleTimeReportResult }
  /** Analyze delays. Needs homes:read, tasks:read, vendors:read. */
  delayAnalysis: { input: DelayAnalysisInput; result: DelayAnalysisResult }
  /** Plan an even flow of starts. Needs homes:read, communities:read. */
  evenFlowPlan: { input: EvenFlowPlanInput; result: EvenFlowPlanResult }
  /** Ask vendors to confirm their starts. Needs homes:read, tasks:read, tasks:write, vendors:read. */
  requestStartConfirmations: { input: RequestStartConfirmationsInput; result: RequestStartConfirmationsResult }
  /** Rank the vendors of a trade. Needs vendors:read, bids:read, pos:read. */
  rankVendors: { input: RankVendorsInput; result: RankVendorsResult }
  /** Find insurance that expires. Needs vendors:read, pos:read, tasks:read. */
  findExpiringInsurance: { input: FindExpiringInsuranceInput; result: FindExpiringInsuranceResult }
  /** Measure how much depends on one vendor. Needs vendors:read, homes:read, pos:read. */
  concentrationRisk: { input: ConcentrationRiskInput; result: ConcentrationRiskResult }
  /** Find inactive vendors. Needs vendors:read, bids:read, pos:read. */
  findInactiveVendors: { input: FindInactiveVendorsInput; result: FindInactiveVendorsResult }
  /** Report the sales pipeline. Needs leads:read, sales:read. */
  salesPipelineReport: { input: SalesPipelineReportInput; result: SalesPipelineReportResult }
  /** Find stale leads. Needs leads:read, users:read. */
  staleLeads: { input: StaleLeadsInput; result: StaleLeadsResult }
  /** Report the backlog. Needs sales:read, homes:read. */
  backlogReport: { input: BacklogReportInput; result: BacklogReportResult }
  /** Report how options are taken. Needs options:read, homes:read, sales:read. */
  optionPopularity: { input: OptionPopularityInput; result: OptionPopularityResult }
  /** Check the selections of a home. Needs homes:read, options:read. */
  validateSelections: { input: ValidateSelectionsInput; result: ValidateSelectionsResult }
  /** Find overdue selections. Needs homes:read, options:read, tasks:read. */
  overdueSelections: { input: OverdueSelectionsInput; result: OverdueSelectionsResult }
  /** Show a home on one page. Needs homes:read, budgets:read, tasks:read, pos:read, sales:read. */
  homeSnapshot: { input: HomeSnapshotInput; result: HomeSnapshotResult }
  /** Show how a community does. Needs communities:read, homes:read, budgets:read, tasks:read, vendors:read, pos:read, sales:read. */
  communityDashboard: { input: CommunityDashboardInput; result: CommunityDashboardResult }
  /** Say what needs attention today. Needs homes:read, budgets:read, tasks:read, vendors:read, pos:read, options:read. */
  exceptionsToday: { input: ExceptionsTodayInput; result: ExceptionsTodayResult }
  /** Check whether a home can close. Needs homes:read, tasks:read, milestones:read, pos:read, payments:read, sales:read. */
  closingReadiness: { input: ClosingReadinessInput; result: ReadinessResult }
  /** Check whether a home can start. Needs homes:read, tasks:read, milestones:read, budgets:read, options:read, pos:read. */
  startPackageCheck: { input: StartPackageCheckInput; result: ReadinessResult }
  /** Show what is payable now. Needs payments:read, pos:read, vendors:read, homes:read. */
  payableNow: { input: PayableNowInput; result: PayableNowResult }
  /** Complete a task and pay for it. Needs tasks:read, tasks:write, pos:read, pos:write, payments:write. */
  payOnCompletion: { input: PayOnCompletionInput; result: PayOnCompletionResult }
  /** Release the retainage of a home. Needs homes:read, pos:read, vendors:read, payments:write. */
  releaseRetainage: { input: ReleaseRetainageInput; result: ReleaseRetainageResult }
  /** Request lien waivers for several payments. Needs payments:read, payments:write. */
  requestLienWaivers: { input: RequestLienWaiversInput; result: RequestLienWaiversResult }
  /** Find missing lien waivers. Needs payments:read, pos:read, vendors:read, homes:read. */
  findMissingLienWaivers: { input: FindMissingLienWaiversInput; result: FindMissingLienWaiversResult }
  /** Match an invoice to an order. Needs pos:read, payments:read, vendors:read, homes:read. */
  matchInvoice: { input: MatchInvoiceInput; result: MatchInvoiceResult }
  /** Void a payment and enter it anew. Needs payments:read, payments:write. */
  voidPaymentAndReissue: { input: VoidPaymentAndReissueInput; result: VoidPaymentAndReissueResult }
  /** Allocate overhead to homes. Needs homes:read, budgets:read. */
  allocateOverhead: { input: AllocateOverheadInput; result: AllocateOverheadResult }
  /** Price a takeoff. Needs parts:read, options:read, communities:read, vendors:read. */
  priceTakeoff: { input: PriceTakeoffInput; result: PriceTakeoffResult }
  /** Draft the orders of a home. Needs homes:read, parts:read, options:read, vendors:read, pos:read, pos:write. */
  draftPurchaseOrders: { input: DraftPurchaseOrdersInput; result: DraftPurchaseOrdersResult }
  /** Issue several orders. Needs homes:read, tasks:read, pos:read, pos:write. */
  issuePurchaseOrders: { input: IssuePurchaseOrdersInput; result: IssuePurchaseOrdersResult }
  /** Order a variance. Needs pos:read, pos:write, homes:read, budgets:read. */
  createVariancePo: { input: CreateVariancePoInput; result: CreateVariancePoResult }
  /** Change what a selection has ordered. Needs options:read, options:write, pos:read, pos:write. */
  createChangePoFromSelection: { input: CreateChangePoFromSelectionInput; result: CreateChangePoFromSelectionResult }
  /** Charge a vendor back. Needs pos:read, pos:write. */
  createBackcharge: { input: CreateBackchargeInput; result: CreateBackchargeResult }
  /** Give a trade of a home to another vendor. Needs homes:read, vendors:read, tasks:read, tasks:write, pos:read, pos:write. */
  reassignVendor: { input: ReassignVendorInput; result: ReassignVendorResult }
  /** Forecast what has to be bought. Needs homes:read, budgets:read, parts:read, tasks:read, pos:read. */
  purchaseForecast: { input: PurchaseForecastInput; result: PurchaseForecastResult }
  /** Merge two vendors. Needs vendors:read, vendors:write, bids:write, pos:write, payments:write, contracts:write, tasks:write, parts:write. */
  mergeVendors: { input: MergeVendorsInput; result: MergeVendorsResult }
  /** Onboard a vendor. Needs vendors:read, vendors:write, bids:write. */
  onboardVendor: { input: OnboardVendorInput; result: OnboardVendorResult }
  /** Notify vendors of the schedule. Needs homes:read, tasks:read, tasks:write, vendors:read. */
  notifyVendorsOfSchedule: { input: NotifyVendorsOfScheduleInput; result: NotifyVendorsOfScheduleResult }
  /** Price a home. Needs options:read, parts:read, communities:read. */
  priceHome: { input: PriceHomeInput; result: PriceHomeResult }
  /** Select an option for a home. Needs homes:read, options:read, options:write, budgets:read. */
  applySelection: { input: ApplySelectionInput; result: ApplySelectionResult }
  /** Summarize the cost of time. Needs timesheets:read, payments:write, homes:read, users:read. */
  timesheetCostSummary: { input: TimesheetCostSummaryInput; result: TimesheetCostSummaryResult }
  /** Approve the timesheets of a week. Needs timesheets:read, timesheets:write, users:read. */
  approveTimesheets: { input: ApproveTimesheetsInput; result: ApproveTimesheetsResult }
  /** Import rows. Needs . */
  importRows: { input: ImportRowsInput; result: ImportRowsResult }
  /** Set homes up like another one. Needs homes:read, tasks:read, tasks:write, options:read, options:write, budgets:read, budgets:write. */
  cloneHomeSetup: { input: CloneHomeSetupInput; result: CloneHomeSetupResult }
}
