/** Generated from the `x-skills` of the contract by `npm run generate`. */
import type { AllocateOverheadInput, AllocateOverheadResult, ApAgingInput, ApAgingResult, ApplySelectionInput, ApplySelectionResult, ApproveTimesheetsInput, ApproveTimesheetsResult, AssignPunchItemsInput, AssignPunchItemsResult, AwardBidInput, AwardBidResult, BacklogReportInput, BacklogReportResult, BidHistoryInput, BidHistoryResult, BudgetVsActualInput, BudgetVsActualResult, CashFlowForecastInput, CashFlowForecastResult, CloneHomeSetupInput, CloneHomeSetupResult, ClosingReadinessInput, CommittedCostAgingInput, CommittedCostAgingResult, CommunityDashboardInput, CommunityDashboardResult, CompressScheduleInput, CompressScheduleResult, ConcentrationRiskInput, ConcentrationRiskResult, CostPerSquareFootInput, CostPerSquareFootResult, CreateBackchargeInput, CreateBackchargeResult, CreateChangePoFromSelectionInput, CreateChangePoFromSelectionResult, CreateVariancePoInput, CreateVariancePoResult, CycleTimeReportInput, CycleTimeReportResult, DelayAnalysisInput, DelayAnalysisResult, DetectOverCommittedBudgetsInput, DetectOverCommittedBudgetsResult, DispatchWarrantyRequestInput, DispatchWarrantyRequestResult, DraftPurchaseOrdersInput, DraftPurchaseOrdersResult, DrawRequestInput, DrawRequestResult, EvenFlowPlanInput, EvenFlowPlanResult, ExceptionsTodayInput, ExceptionsTodayResult, ExtendBidDeadlineInput, ExtendBidDeadlineResult, FindBidCoverageGapsInput, FindBidCoverageGapsResult, FindExpiringInsuranceInput, FindExpiringInsuranceResult, FindHomesOverBudgetInput, FindHomesOverBudgetResult, FindInactiveVendorsInput, FindInactiveVendorsResult, FindLateTasksInput, FindLateTasksResult, FindMissingLienWaiversInput, FindMissingLienWaiversResult, FindUnboughtScopesInput, FindUnboughtScopesResult, ForecastCostAtCompletionInput, ForecastCostAtCompletionResult, ForecastHomeCompletionInput, ForecastHomeCompletionResult, HandleFailedInspectionInput, HandleFailedInspectionResult, HomeSnapshotInput, HomeSnapshotResult, ImportRowsInput, ImportRowsResult, IssuePurchaseOrdersInput, IssuePurchaseOrdersResult, LevelBidsInput, LevelBidsResult, LookaheadInput, LookaheadResult, MarginReportInput, MarginReportResult, MatchInvoiceInput, MatchInvoiceResult, MergeVendorsInput, MergeVendorsResult, NotifyVendorsOfScheduleInput, NotifyVendorsOfScheduleResult, OnboardVendorInput, OnboardVendorResult, OptionPopularityInput, OptionPopularityResult, OverdueSelectionsInput, OverdueSelectionsResult, OwnerAgendaInput, OwnerAgendaResult, PayOnCompletionInput, PayOnCompletionResult, PayableNowInput, PayableNowResult, PrepareDailyLogInput, PrepareDailyLogResult, PriceHomeInput, PriceHomeResult, PriceTakeoffInput, PriceTakeoffResult, PunchAgingInput, PunchAgingResult, PurchaseForecastInput, PurchaseForecastResult, RaisePricesInput, RaisePricesResult, RankVendorsInput, RankVendorsResult, ReadinessResult, ReassignVendorInput, ReassignVendorResult, RecommendAwardInput, RecommendAwardResult, RecurringDefectsInput, RecurringDefectsResult, ReleaseRetainageInput, ReleaseRetainageResult, RequestBidsForHomeInput, RequestBidsForHomeResult, RequestLienWaiversInput, RequestLienWaiversResult, RequestStartConfirmationsInput, RequestStartConfirmationsResult, RetainageSummaryInput, RetainageSummaryResult, SalesPipelineReportInput, SalesPipelineReportResult, SendBidRemindersInput, SendBidRemindersResult, SendInsuranceRemindersInput, SendInsuranceRemindersResult, SimulatePriceIncreaseInput, SimulatePriceIncreaseResult, SplitAwardInput, SplitAwardResult, StaleLeadsInput, StaleLeadsResult, StartPackageCheckInput, SuggestVendorsForScopeInput, SuggestVendorsForScopeResult, TimesheetCostSummaryInput, TimesheetCostSummaryResult, TriageWarrantyRequestInput, TriageWarrantyRequestResult, ValidateSelectionsInput, ValidateSelectionsResult, VarianceReportInput, VarianceReportResult, VendorStatementInput, VendorStatementResult, VoidPaymentAndReissueInput, VoidPaymentAndReissueResult, WipReportInput, WipReportResult } from './contract.gen.ts'

/** The operations that are skills too. */
export type OperationSkill =
  | 'listVendors'
  | 'createVendor'
  | 'syncVendors'
  | 'getVendor'
  | 'updateVendor'
  | 'archiveVendor'
  | 'listComplianceDocuments'
  | 'addComplianceDocument'
  | 'listVendorNotifications'
  | 'notifyVendor'
  | 'getVendorScorecard'
  | 'changeVendorStatus'
  | 'inviteVendor'
  | 'revokeVendorPortal'
  | 'getComplianceDocument'
  | 'updateComplianceDocument'
  | 'removeComplianceDocument'
  | 'changeComplianceDocumentStatus'
  | 'listScopes'
  | 'createScope'
  | 'getScope'
  | 'updateScope'
  | 'archiveScope'
  | 'createBidRequest'
  | 'listBidRequests'
  | 'getBidRequest'
  | 'updateBidRequest'
  | 'listInvitations'
  | 'inviteToBid'
  | 'compareBids'
  | 'sendBidRequest'
  | 'closeBidRequest'
  | 'reopenBidRequest'
  | 'cancelBidRequest'
  | 'remindInvitedVendors'
  | 'resendInvitation'
  | 'revokeInvitation'
  | 'listBids'
  | 'submitBid'
  | 'getBid'
  | 'reviseBid'
  | 'acceptBid'
  | 'rejectBid'
  | 'withdrawBid'
  | 'setBidLeveling'
  | 'listCommunities'
  | 'createCommunity'
  | 'syncCommunities'
  | 'getCommunity'
  | 'updateCommunity'
  | 'archiveCommunity'
  | 'getCommunitySummary'
  | 'changeCommunityStatus'
  | 'listPlans'
  | 'createPlan'
  | 'getPlan'
  | 'updatePlan'
  | 'archivePlan'
  | 'listPlanRevisions'
  | 'changePlanStatus'
  | 'listHomes'
  | 'createHome'
  | 'syncHomes'
  | 'getHome'
  | 'updateHome'
  | 'archiveHome'
  | 'changeHomeStatus'
  | 'listCostCodes'
  | 'createCostCode'
  | 'syncCostCodes'
  | 'getCostCode'
  | 'updateCostCode'
  | 'archiveCostCode'
  | 'listParts'
  | 'createPart'
  | 'syncParts'
  | 'getPart'
  | 'updatePart'
  | 'archivePart'
  | 'listPrices'
  | 'addPrice'
  | 'syncPrices'
  | 'findPrice'
  | 'explainPrice'
  | 'getPrice'
  | 'updatePrice'
  | 'removePrice'
  | 'listOptions'
  | 'createOption'
  | 'getOption'
  | 'updateOption'
  | 'archiveOption'
  | 'changeOptionStatus'
  | 'getTakeoff'
  | 'replaceTakeoff'
  | 'getResolvedTakeoff'
  | 'getOptionTakeoff'
  | 'replaceOptionTakeoff'
  | 'listContracts'
  | 'createContract'
  | 'getContract'
  | 'updateContract'
  | 'archiveContract'
  | 'changeContractStatus'
  | 'draftContractRevision'
  | 'repriceOpenPurchaseOrders'
  | 'listSelections'
  | 'addSelection'
  | 'getSelection'
  | 'updateSelection'
  | 'changeSelectionStatus'
  | 'getHomeBudget'
  | 'listBudgetLines'
  | 'addBudgetLine'
  | 'listBudgetTransfers'
  | 'transferBudget'
  | 'estimateHomeBudget'
  | 'lockHomeBudget'
  | 'syncBudgetLines'
  | 'getBudgetLine'
  | 'updateBudgetLine'
  | 'removeBudgetLine'
  | 'listPurchaseOrders'
  | 'createPurchaseOrder'
  | 'findDuplicatePurchaseOrders'
  | 'getPurchaseOrder'
  | 'updatePurchaseOrder'
  | 'explainPurchaseOrderApproval'
  | 'getPurchaseOrderPdf'
  | 'changePurchaseOrderStatus'
  | 'recordPurchaseOrderProgress'
  | 'listBills'
  | 'createBill'
  | 'getBill'
  | 'updateBill'
  | 'changeBillStatus'
  | 'voidBill'
  | 'listPayments'
  | 'createPayment'
  | 'getPayment'
  | 'changePaymentStatus'
  | 'voidPayment'
  | 'requestLienWaiver'
  | 'listLienWaivers'
  | 'getLienWaiver'
  | 'getLienWaiverPdf'
  | 'changeLienWaiverStatus'
  | 'listPaymentRuns'
  | 'createPaymentRun'
  | 'getPaymentRun'
  | 'listPostings'
  | 'getPostingsCsv'
  | 'getPostingsNdjson'
  | 'getJobCostLedger'
  | 'getLedgerBalances'
  | 'transferCost'
  | 'listJournals'
  | 'createJournal'
  | 'getJournal'
  | 'reverseJournal'
  | 'getPeriodClose'
  | 'closePeriod'
  | 'listPeriodCloses'
  | 'listTasks'
  | 'createTask'
  | 'getTask'
  | 'updateTask'
  | 'archiveTask'
  | 'simulateDelay'
  | 'delayTask'
  | 'getTaskReadiness'
  | 'requestTaskConfirmation'
  | 'answerTaskConfirmation'
  | 'decideTaskReschedule'
  | 'changeTaskStatus'
  | 'completeTask'
  | 'getHomeSchedule'
  | 'getHomeScheduleXml'
  | 'setScheduleBaseline'
  | 'listPermits'
  | 'createPermit'
  | 'getPermit'
  | 'updatePermit'
  | 'changePermitStatus'
  | 'listInspections'
  | 'createInspection'
  | 'getInspection'
  | 'updateInspection'
  | 'changeInspectionStatus'
  | 'recordInspectionResult'
  | 'listDailyLogs'
  | 'createDailyLog'
  | 'getDailyLog'
  | 'updateDailyLog'
  | 'getDailyLogPdf'
  | 'addDailyLogAddendum'
  | 'submitDailyLog'
  | 'getFieldDay'
  | 'listMilestones'
  | 'createMilestone'
  | 'getMilestone'
  | 'updateMilestone'
  | 'archiveMilestone'
  | 'completeMilestone'
  | 'reopenMilestone'
  | 'listLoans'
  | 'createLoan'
  | 'getLoan'
  | 'updateLoan'
  | 'archiveLoan'
  | 'listLoanDraws'
  | 'requestLoanDraw'
  | 'getLoanDraw'
  | 'changeLoanDrawStatus'
  | 'listCalendarFeeds'
  | 'createCalendarFeed'
  | 'getCalendarFeed'
  | 'revokeCalendarFeed'
  | 'getVendorWorkload'
  | 'listTimesheets'
  | 'createTimesheet'
  | 'getTimesheet'
  | 'updateTimesheet'
  | 'listTimeEntries'
  | 'addTimeEntry'
  | 'changeTimesheetStatus'
  | 'clockIn'
  | 'clockOut'
  | 'getTimeEntry'
  | 'updateTimeEntry'
  | 'removeTimeEntry'
  | 'listTaskTemplates'
  | 'createTaskTemplate'
  | 'getTaskTemplate'
  | 'updateTaskTemplate'
  | 'archiveTaskTemplate'
  | 'applyScheduleTemplate'
  | 'startHomes'
  | 'listWalkthroughs'
  | 'createWalkthrough'
  | 'getWalkthrough'
  | 'updateWalkthrough'
  | 'getWalkthroughPdf'
  | 'closeWalkthrough'
  | 'listPunchItems'
  | 'createPunchItem'
  | 'getPunchItem'
  | 'updatePunchItem'
  | 'changePunchItemStatus'
  | 'backchargePunchItem'
  | 'listWarrantyTerms'
  | 'createWarrantyTerm'
  | 'getWarrantyTerm'
  | 'updateWarrantyTerm'
  | 'archiveWarrantyTerm'
  | 'listHomeCoverages'
  | 'listWarrantyRequests'
  | 'createWarrantyRequest'
  | 'getWarrantyRequest'
  | 'updateWarrantyRequest'
  | 'decideWarrantyRequest'
  | 'assignWarrantyRequest'
  | 'changeWarrantyRequestStatus'
  | 'listVisits'
  | 'createVisit'
  | 'getVisit'
  | 'updateVisit'
  | 'changeVisitStatus'
  | 'listDrawings'
  | 'createDrawing'
  | 'getDrawing'
  | 'updateDrawing'
  | 'archiveDrawing'
  | 'listHomeDrawings'
  | 'issueDrawingRevision'
  | 'listHomeOwners'
  | 'createHomeOwner'
  | 'getHomeOwner'
  | 'updateHomeOwner'
  | 'archiveHomeOwner'
  | 'inviteHomeOwner'
  | 'revokeHomeOwnerLink'
  | 'getAccountingSyncQueue'
  | 'acknowledgeAccountingSync'
  | 'reconcileAccounting'
  | 'getAccountingCsv'
  | 'getAccountingNdjson'
  | 'getForm1099Totals'
  | 'getForm1099Csv'
  | 'recordForm1099Filing'
  | 'getForm1099Corrections'
  | 'listLeads'
  | 'createLead'
  | 'getLead'
  | 'updateLead'
  | 'archiveLead'
  | 'listLeadActivities'
  | 'addLeadActivity'
  | 'changeLeadStatus'
  | 'convertLead'
  | 'listSales'
  | 'createSale'
  | 'getSale'
  | 'updateSale'
  | 'explainSalePrice'
  | 'recordSaleDeposit'
  | 'recordSaleContingency'
  | 'approveSale'
  | 'advanceSalePipeline'
  | 'cancelSale'
  | 'listBuyerChanges'
  | 'createBuyerChange'
  | 'getBuyerChange'
  | 'updateBuyerChange'
  | 'changeBuyerChangeStatus'
  | 'getScheduleOfValues'
  | 'updateScheduleOfValues'
  | 'listApplications'
  | 'createApplication'
  | 'getApplication'
  | 'updateApplication'
  | 'changeApplicationStatus'
  | 'recordApplicationReceipt'
  | 'listUsers'
  | 'getUser'
  | 'listMessages'
  | 'sendMessage'
  | 'getMessage'
  | 'setMessageReadState'
  | 'listMessageTemplates'
  | 'getMessageTemplate'
  | 'replaceMessageTemplate'
  | 'resetMessageTemplate'
  | 'previewMessageTemplate'
  | 'listMails'
  | 'search'
  | 'listAttachments'
  | 'uploadAttachment'
  | 'getAttachment'
  | 'updateAttachment'
  | 'deleteAttachment'
  | 'downloadAttachment'
  | 'getAttachmentImage'
  | 'getImportKinds'
  | 'listImports'
  | 'uploadImport'
  | 'getImport'
  | 'updateImport'
  | 'getImportRows'
  | 'getImportErrors'
  | 'startImport'
  | 'undoImport'
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'listDeliveries'
  | 'testWebhook'
  | 'rotateWebhookSecret'
  | 'recoverWebhook'
  | 'getDelivery'
  | 'redeliverEvent'
  | 'listEvents'
  | 'getEvent'
  | 'listEventTypes'
  | 'listStatusChanges'
  | 'listAuditEntries'
  | 'listSkills'
  | 'getSkill'
  | 'listProposals'
  | 'getProposal'
  | 'refuseProposal'
  | 'listExecutions'
  | 'getExecution'
  | 'getCaller'
  | 'getUsage'
  | 'createBrowserToken'
  | 'getChangelog'
  | 'getOpenApiJson'
  | 'getOpenApiYaml'
  | 'getToolDefinitions'
  | 'getFunctionDefinitions'

export interface CompositeSkills {
  /** Award a bid. Needs bids:read, bids:write. */
  awardBid: { input: AwardBidInput; result: AwardBidResult }
  /** Suggest vendors for a trade. Needs vendors:read, bids:read. */
  suggestVendorsForScope: { input: SuggestVendorsForScopeInput; result: SuggestVendorsForScopeResult }
  /** Find over-committed budgets. Needs homes:read. */
  detectOverCommittedBudgets: { input: DetectOverCommittedBudgetsInput; result: DetectOverCommittedBudgetsResult }
  /** Forecast a home's cost. Needs homes:read, budgets:read. */
  forecastCostAtCompletion: { input: ForecastCostAtCompletionInput; result: ForecastCostAtCompletionResult }
  /** Compare a home's budget with its costs. Needs homes:read, budgets:read. */
  budgetVsActual: { input: BudgetVsActualInput; result: BudgetVsActualResult }
  /** Report the margins of closed homes. Needs homes:read, budgets:read. */
  marginReport: { input: MarginReportInput; result: MarginReportResult }
  /** Report work in progress. Needs homes:read, budgets:read, sales:read, billings:read. */
  wipReport: { input: WipReportInput; result: WipReportResult }
  /** Forecast cash flow. Needs homes:read, pos:read, payments:read, sales:read. */
  cashFlowForecast: { input: CashFlowForecastInput; result: CashFlowForecastResult }
  /** Report the cost of variances. Needs homes:read, pos:read. */
  varianceReport: { input: VarianceReportInput; result: VarianceReportResult }
  /** Compare costs per square foot. Needs homes:read, pos:read. */
  costPerSquareFoot: { input: CostPerSquareFootInput; result: CostPerSquareFootResult }
  /** Report open commitments by age. Needs homes:read, pos:read. */
  committedCostAging: { input: CommittedCostAgingInput; result: CommittedCostAgingResult }
  /** Prepare a draw request. Needs homes:read, milestones:read, budgets:read. */
  drawRequest: { input: DrawRequestInput; result: DrawRequestResult }
  /** Simulate a price increase. Needs homes:read, budgets:read. */
  simulatePriceIncrease: { input: SimulatePriceIncreaseInput; result: SimulatePriceIncreaseResult }
  /** Summarize retainage. Needs homes:read, pos:read. */
  retainageSummary: { input: RetainageSummaryInput; result: RetainageSummaryResult }
  /** Report payables by age. Needs vendors:read, homes:read, bills:read. */
  apAging: { input: ApAgingInput; result: ApAgingResult }
  /** Prepare a vendor statement. Needs vendors:read, homes:read, pos:read, payments:read, bills:read. */
  vendorStatement: { input: VendorStatementInput; result: VendorStatementResult }
  /** Level the bids of a request. Needs bids:read. */
  levelBids: { input: LevelBidsInput; result: LevelBidsResult }
  /** Recommend an award. Needs bids:read, vendors:read. */
  recommendAward: { input: RecommendAwardInput; result: RecommendAwardResult }
  /** Split an award. Needs bids:read, bids:write. */
  splitAward: { input: SplitAwardInput; result: SplitAwardResult }
  /** Remind vendors to bid. Needs bids:read, bids:write. */
  sendBidReminders: { input: SendBidRemindersInput; result: SendBidRemindersResult }
  /** Extend a bid deadline. Needs bids:read, bids:write. */
  extendBidDeadline: { input: ExtendBidDeadlineInput; result: ExtendBidDeadlineResult }
  /** Request bids for a home. Needs homes:read, budgets:read, vendors:read, bids:read, bids:write, contracts:read. */
  requestBidsForHome: { input: RequestBidsForHomeInput; result: RequestBidsForHomeResult }
  /** Find gaps in bid coverage. Needs homes:read, budgets:read, bids:read, contracts:read. */
  findBidCoverageGaps: { input: FindBidCoverageGapsInput; result: FindBidCoverageGapsResult }
  /** Show the price history of a trade. Needs bids:read, homes:read, vendors:read. */
  bidHistory: { input: BidHistoryInput; result: BidHistoryResult }
  /** Find trades that have no order. Needs homes:read, budgets:read, tasks:read, bids:read, contracts:read. */
  findUnboughtScopes: { input: FindUnboughtScopesInput; result: FindUnboughtScopesResult }
  /** Forecast a home's completion. Needs homes:read, tasks:read, vendors:read. */
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
  /** Ask vendors to confirm starts. Needs homes:read, tasks:read, tasks:write, vendors:read. */
  requestStartConfirmations: { input: RequestStartConfirmationsInput; result: RequestStartConfirmationsResult }
  /** Rank a trade's vendors. Needs vendors:read, bids:read, pos:read. */
  rankVendors: { input: RankVendorsInput; result: RankVendorsResult }
  /** Find expiring insurance. Needs vendors:read, pos:read, tasks:read. */
  findExpiringInsurance: { input: FindExpiringInsuranceInput; result: FindExpiringInsuranceResult }
  /** Measure dependence on vendors. Needs vendors:read, homes:read, pos:read. */
  concentrationRisk: { input: ConcentrationRiskInput; result: ConcentrationRiskResult }
  /** Find inactive vendors. Needs vendors:read, bids:read, pos:read. */
  findInactiveVendors: { input: FindInactiveVendorsInput; result: FindInactiveVendorsResult }
  /** Report the sales pipeline. Needs leads:read, sales:read. */
  salesPipelineReport: { input: SalesPipelineReportInput; result: SalesPipelineReportResult }
  /** Find stale leads. Needs leads:read, users:read. */
  staleLeads: { input: StaleLeadsInput; result: StaleLeadsResult }
  /** Report the backlog. Needs sales:read, homes:read. */
  backlogReport: { input: BacklogReportInput; result: BacklogReportResult }
  /** Report option popularity. Needs options:read, homes:read, sales:read. */
  optionPopularity: { input: OptionPopularityInput; result: OptionPopularityResult }
  /** Check a home's selections. Needs homes:read, options:read. */
  validateSelections: { input: ValidateSelectionsInput; result: ValidateSelectionsResult }
  /** Find overdue selections. Needs homes:read, options:read, tasks:read. */
  overdueSelections: { input: OverdueSelectionsInput; result: OverdueSelectionsResult }
  /** Show a home overview. Needs homes:read, budgets:read, tasks:read, pos:read, sales:read. */
  homeSnapshot: { input: HomeSnapshotInput; result: HomeSnapshotResult }
  /** Show a community dashboard. Needs communities:read, homes:read, budgets:read, tasks:read, vendors:read, pos:read, sales:read. */
  communityDashboard: { input: CommunityDashboardInput; result: CommunityDashboardResult }
  /** List exceptions that need attention today. Needs homes:read, budgets:read, tasks:read, vendors:read, pos:read, options:read. */
  exceptionsToday: { input: ExceptionsTodayInput; result: ExceptionsTodayResult }
  /** Check whether a home can close. Needs homes:read, tasks:read, milestones:read, pos:read, payments:read, sales:read. */
  closingReadiness: { input: ClosingReadinessInput; result: ReadinessResult }
  /** Check whether a home can start. Needs homes:read, tasks:read, milestones:read, budgets:read, options:read, pos:read. */
  startPackageCheck: { input: StartPackageCheckInput; result: ReadinessResult }
  /** Show payable amounts. Needs payments:read, pos:read, vendors:read, homes:read. */
  payableNow: { input: PayableNowInput; result: PayableNowResult }
  /** Complete a task and pay for it. Needs tasks:read, tasks:write, pos:read, pos:write, payments:write. */
  payOnCompletion: { input: PayOnCompletionInput; result: PayOnCompletionResult }
  /** Release a home's retainage. Needs homes:read, pos:read, vendors:read, payments:write. */
  releaseRetainage: { input: ReleaseRetainageInput; result: ReleaseRetainageResult }
  /** Request lien waivers in bulk. Needs payments:read, payments:write. */
  requestLienWaivers: { input: RequestLienWaiversInput; result: RequestLienWaiversResult }
  /** Find missing lien waivers. Needs payments:read, pos:read, vendors:read, homes:read. */
  findMissingLienWaivers: { input: FindMissingLienWaiversInput; result: FindMissingLienWaiversResult }
  /** Match an invoice to an order. Needs pos:read, payments:read, vendors:read, homes:read. */
  matchInvoice: { input: MatchInvoiceInput; result: MatchInvoiceResult }
  /** Void and reissue a payment. Needs payments:read, payments:write. */
  voidPaymentAndReissue: { input: VoidPaymentAndReissueInput; result: VoidPaymentAndReissueResult }
  /** Allocate overhead to homes. Needs homes:read, budgets:read. */
  allocateOverhead: { input: AllocateOverheadInput; result: AllocateOverheadResult }
  /** Price a takeoff. Needs parts:read, options:read, communities:read, vendors:read. */
  priceTakeoff: { input: PriceTakeoffInput; result: PriceTakeoffResult }
  /** Draft a home's purchase orders. Needs homes:read, parts:read, options:read, vendors:read, pos:read, pos:write. */
  draftPurchaseOrders: { input: DraftPurchaseOrdersInput; result: DraftPurchaseOrdersResult }
  /** Issue purchase orders in bulk. Needs homes:read, tasks:read, pos:read, pos:write. */
  issuePurchaseOrders: { input: IssuePurchaseOrdersInput; result: IssuePurchaseOrdersResult }
  /** Create a variance order. Needs pos:read, pos:write, homes:read, budgets:read. */
  createVariancePo: { input: CreateVariancePoInput; result: CreateVariancePoResult }
  /** Change an ordered selection. Needs options:read, options:write, pos:read, pos:write. */
  createChangePoFromSelection: { input: CreateChangePoFromSelectionInput; result: CreateChangePoFromSelectionResult }
  /** Create a backcharge. Needs pos:read, pos:write. */
  createBackcharge: { input: CreateBackchargeInput; result: CreateBackchargeResult }
  /** Reassign a trade to another vendor. Needs homes:read, vendors:read, tasks:read, tasks:write, pos:read, pos:write. */
  reassignVendor: { input: ReassignVendorInput; result: ReassignVendorResult }
  /** Forecast purchases. Needs homes:read, budgets:read, parts:read, tasks:read, pos:read. */
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
  /** Summarize labor cost. Needs timesheets:read, payments:write, homes:read, users:read. */
  timesheetCostSummary: { input: TimesheetCostSummaryInput; result: TimesheetCostSummaryResult }
  /** Approve a week's timesheets. Needs timesheets:read, timesheets:write, users:read. */
  approveTimesheets: { input: ApproveTimesheetsInput; result: ApproveTimesheetsResult }
  /** Import rows. Needs . */
  importRows: { input: ImportRowsInput; result: ImportRowsResult }
  /** Copy a home's setup. Needs homes:read, tasks:read, tasks:write, options:read, options:write, budgets:read, budgets:write. */
  cloneHomeSetup: { input: CloneHomeSetupInput; result: CloneHomeSetupResult }
  /** Find homes over budget. Needs homes:read, budgets:read, pos:read. */
  findHomesOverBudget: { input: FindHomesOverBudgetInput; result: FindHomesOverBudgetResult }
  /** Raise prices by a percentage. Needs parts:read, parts:write. */
  raisePrices: { input: RaisePricesInput; result: RaisePricesResult }
  /** Remind vendors about expiring insurance. Needs vendors:read, pos:read, tasks:read, messages:write. */
  sendInsuranceReminders: { input: SendInsuranceRemindersInput; result: SendInsuranceRemindersResult }
  /** Assign punch items. Needs punch:read, punch:write, pos:read. */
  assignPunchItems: { input: AssignPunchItemsInput; result: AssignPunchItemsResult }
  /** Report the age of punch items. Needs punch:read. */
  punchAging: { input: PunchAgingInput; result: PunchAgingResult }
  /** Suggest a warranty decision. Needs warranty:read, pos:read. */
  triageWarrantyRequest: { input: TriageWarrantyRequestInput; result: TriageWarrantyRequestResult }
  /** Draft a daily log. Needs logs:read, tasks:read. */
  prepareDailyLog: { input: PrepareDailyLogInput; result: PrepareDailyLogResult }
  /** Handle a failed inspection. Needs inspections:read, inspections:write, tasks:read, tasks:write, punch:read, punch:write, pos:read. */
  handleFailedInspection: { input: HandleFailedInspectionInput; result: HandleFailedInspectionResult }
  /** Decide on a warranty request and send a vendor. Needs warranty:read, warranty:write, pos:read. */
  dispatchWarrantyRequest: { input: DispatchWarrantyRequestInput; result: DispatchWarrantyRequestResult }
  /** Find recurring defects. Needs warranty:read, homes:read, pos:read. */
  recurringDefects: { input: RecurringDefectsInput; result: RecurringDefectsResult }
  /** List open items of a home owner. Needs homes:read, options:read, sales:read, punch:read, warranty:read, tasks:read. */
  ownerAgenda: { input: OwnerAgendaInput; result: OwnerAgendaResult }
}
