/** Inputs as the validator leaves them, with the contract's defaults filled in. Made by `npm run generate`. */
import type { AllocateOverheadInput, ApiKeyCreate, ApiKeyRotate, ApplicationCreate, ApplicationLineInput, ApplicationUpdate, ApplySelectionInput, ApproveTimesheetsInput, AwardBidInput, BacklogReportInput, BatchStep, BidAccept, BidHistoryInput, BidLineInput, BidRequestCreate, BidRequestLineInput, BidRequestUpdate, BidRevise, BidSubmit, BudgetLinesSync, BudgetVsActualInput, CashFlowForecastInput, ChecklistItemInput, ClockOut, CloneHomeSetupInput, ClosingReadinessInput, CommittedCostAgingInput, CommunitiesSync, CommunityCreate, CommunityDashboardInput, ComplianceDocumentCreate, CompressScheduleInput, ConcentrationRiskInput, ContractCreate, ContractLineInput, ContractStatusMove, ContractUpdate, CostCodesSync, CostPerSquareFootInput, CostTransfer, CreateBackchargeInput, CreateChangePoFromSelectionInput, CreateVariancePoInput, CycleTimeReportInput, DelayAnalysisInput, DetectOverCommittedBudgetsInput, DraftPurchaseOrdersInput, DrawRequestInput, ElevationInput, EvenFlowPlanInput, ExceptionsTodayInput, ExecuteBatch, ExecuteRequest, ExtendBidDeadlineInput, FindBidCoverageGapsInput, FindExpiringInsuranceInput, FindInactiveVendorsInput, FindLateTasksInput, FindMissingLienWaiversInput, FindUnboughtScopesInput, ForecastCostAtCompletionInput, ForecastHomeCompletionInput, HomeCreate, HomeSnapshotInput, HomesSync, ImportRowsInput, IssuePurchaseOrdersInput, JournalCreate, JournalLineInput, LeadConversion, LeadCreate, LevelBidsInput, LookaheadInput, MarginReportInput, MatchInvoiceInput, MergeVendorsInput, MessageCreate, MessageMark, MilestoneCompletion, MilestoneCreate, NotifyVendorsOfScheduleInput, OnboardVendorInput, OptionCreate, OptionPopularityInput, OptionTakeoffLineInput, OptionTakeoffReplace, OverdueSelectionsInput, PartsSync, PasskeyAdd, PayOnCompletionInput, PayableNowInput, PaymentCreate, PaymentRunCreate, PlanCreate, PlanUpdate, PortalBidDraftInput, PortalBidLineInput, PriceCreate, PriceHomeInput, PriceTakeoffInput, PricesSync, ProposalCreate, PurchaseForecastInput, PurchaseOrderCreate, PurchaseOrderLineInput, PurchaseOrderUpdate, RankVendorsInput, ReassignVendorInput, RecommendAwardInput, ReleaseRetainageInput, RequestBidsForHomeInput, RequestLienWaiversInput, RequestStartConfirmationsInput, RetainageSummaryInput, SaleCreate, SaleStageMove, SalesPipelineReportInput, ScheduleTemplateApply, ScopeCreate, SelectionCreate, SendBidRemindersInput, SimulatePriceIncreaseInput, SplitAwardInput, StaleLeadsInput, StartPackageCheckInput, SuggestVendorsForScopeInput, TakeoffLineInput, TakeoffReplace, TaskCompletion, TaskCreate, TaskPredecessorInput, TaskStatusMove, TaskTemplateCreate, TaskTemplateLinkInput, TaskTemplateRowInput, TaskTemplateUpdate, TaskUpdate, TimeEntryCreate, TimesheetCostSummaryInput, UserInvite, ValidateSelectionsInput, VarianceReportInput, VendorCreate, VendorStatementInput, VendorsSync, VoidPaymentAndReissueInput, WebhookCreate, WebhookSecretRotation, WipReportInput } from '../../../client/contract.gen.ts'
import type { Filled } from './operation.ts'

export interface Checked {
  VendorCreate: Filled<VendorCreate, 'status'>
  VendorsSync: Filled<VendorsSync, 'mode'>
  ComplianceDocumentCreate: Filled<ComplianceDocumentCreate, 'status' | 'additionalInsured'>
  ScopeCreate: Filled<ScopeCreate, 'sequence'>
  BidRequestLineInput: Filled<BidRequestLineInput, 'quantity' | 'unit' | 'required'>
  BidRequestCreate: Filled<BidRequestCreate, 'bidType' | 'blind' | 'acceptLate' | 'awardMode' | 'sendNow', { lines: Checked['BidRequestLineInput'][] }>
  BidRequestUpdate: Filled<BidRequestUpdate, never, { lines: Checked['BidRequestLineInput'][] }>
  BidLineInput: Filled<BidLineInput, 'excluded' | 'alternate'>
  BidSubmit: Filled<BidSubmit, 'source', { lines: Checked['BidLineInput'][] }>
  BidRevise: Filled<BidRevise, never, { lines: Checked['BidLineInput'][] }>
  BidAccept: Filled<BidAccept, 'rejectOthers' | 'createPurchaseOrder'>
  CommunityCreate: Filled<CommunityCreate, 'status' | 'workdays' | 'holidays'>
  CommunitiesSync: Filled<CommunitiesSync, 'mode'>
  ElevationInput: Filled<ElevationInput, 'price' | 'figures'>
  PlanCreate: Filled<PlanCreate, 'communityIds' | 'figures' | 'elevations', { elevations: Checked['ElevationInput'][] }>
  PlanUpdate: Filled<PlanUpdate, never, { elevations: Checked['ElevationInput'][] }>
  HomeCreate: Filled<HomeCreate, 'homeType'>
  HomesSync: Filled<HomesSync, 'mode'>
  CostCodesSync: Filled<CostCodesSync, 'mode'>
  PartsSync: Filled<PartsSync, 'mode'>
  PriceCreate: Filled<PriceCreate, 'minQuantity' | 'preferred' | 'endPrevious'>
  PricesSync: Filled<PricesSync, 'mode'>
  OptionCreate: Filled<OptionCreate, 'planIds' | 'communityIds' | 'unit' | 'costBasis' | 'requiresOptionIds' | 'excludesOptionIds'>
  TakeoffLineInput: Filled<TakeoffLineInput, 'wastePercent'>
  TakeoffReplace: Filled<TakeoffReplace, never, { lines: Checked['TakeoffLineInput'][] }>
  OptionTakeoffLineInput: Filled<OptionTakeoffLineInput, 'wastePercent'>
  OptionTakeoffReplace: Filled<OptionTakeoffReplace, never, { lines: Checked['OptionTakeoffLineInput'][] }>
  ContractLineInput: Filled<ContractLineInput, 'minQuantity'>
  ContractCreate: Filled<ContractCreate, 'communityIds' | 'planIds' | 'preferred', { lines: Checked['ContractLineInput'][] }>
  ContractUpdate: Filled<ContractUpdate, never, { lines: Checked['ContractLineInput'][] }>
  ContractStatusMove: Filled<ContractStatusMove, 'endPrevious'>
  SelectionCreate: Filled<SelectionCreate, 'quantity'>
  BudgetLinesSync: Filled<BudgetLinesSync, 'mode'>
  PurchaseOrderLineInput: Filled<PurchaseOrderLineInput, 'unit' | 'taxPercent'>
  PurchaseOrderCreate: Filled<PurchaseOrderCreate, 'poType', { lines: Checked['PurchaseOrderLineInput'][] }>
  PurchaseOrderUpdate: Filled<PurchaseOrderUpdate, never, { lines: Checked['PurchaseOrderLineInput'][] }>
  PaymentCreate: Filled<PaymentCreate, 'paymentType' | 'method'>
  PaymentRunCreate: Filled<PaymentRunCreate, 'method'>
  CostTransfer: Filled<CostTransfer, 'fromScope' | 'fromCostCodeId' | 'toScope' | 'toCostCodeId'>
  JournalLineInput: Filled<JournalLineInput, 'scope' | 'costCodeId'>
  JournalCreate: Filled<JournalCreate, never, { lines: Checked['JournalLineInput'][] }>
  TaskPredecessorInput: Filled<TaskPredecessorInput, 'type' | 'lagDays'>
  ChecklistItemInput: Filled<ChecklistItemInput, 'done'>
  TaskCreate: Filled<TaskCreate, 'taskKind' | 'workdayOverride' | 'predecessors' | 'checklist' | 'poIds' | 'payOnComplete', { predecessors: Checked['TaskPredecessorInput'][]; checklist: Checked['ChecklistItemInput'][] }>
  TaskUpdate: Filled<TaskUpdate, never, { predecessors: Checked['TaskPredecessorInput'][]; checklist: Checked['ChecklistItemInput'][] }>
  TaskStatusMove: Filled<TaskStatusMove, 'force'>
  TaskCompletion: Filled<TaskCompletion, 'force', { checklist: Checked['ChecklistItemInput'][] }>
  MilestoneCreate: Filled<MilestoneCreate, 'milestoneType' | 'taskIds' | 'autoComplete'>
  MilestoneCompletion: Filled<MilestoneCompletion, 'force'>
  TimeEntryCreate: Filled<TimeEntryCreate, 'breakMinutes' | 'payType'>
  ClockOut: Filled<ClockOut, 'breakMinutes'>
  TaskTemplateLinkInput: Filled<TaskTemplateLinkInput, 'type' | 'lagDays'>
  TaskTemplateRowInput: Filled<TaskTemplateRowInput, 'taskKind' | 'predecessors' | 'checklist', { predecessors: Checked['TaskTemplateLinkInput'][] }>
  TaskTemplateCreate: Filled<TaskTemplateCreate, never, { rows: Checked['TaskTemplateRowInput'][] }>
  TaskTemplateUpdate: Filled<TaskTemplateUpdate, never, { rows: Checked['TaskTemplateRowInput'][] }>
  ScheduleTemplateApply: Filled<ScheduleTemplateApply, 'replace'>
  LeadCreate: Filled<LeadCreate, 'source' | 'communityIds' | 'planIds'>
  LeadConversion: Filled<LeadConversion, 'optionIds' | 'lotPremium' | 'incentives' | 'discounts' | 'deposits' | 'contingencies'>
  SaleCreate: Filled<SaleCreate, 'optionIds' | 'lotPremium' | 'incentives' | 'discounts' | 'deposits' | 'contingencies'>
  SaleStageMove: Filled<SaleStageMove, 'status'>
  ApplicationLineInput: Filled<ApplicationLineInput, 'periodAmount' | 'storedAmount'>
  ApplicationCreate: Filled<ApplicationCreate, 'lines', { lines: Checked['ApplicationLineInput'][] }>
  ApplicationUpdate: Filled<ApplicationUpdate, never, { lines: Checked['ApplicationLineInput'][] }>
  MessageCreate: Filled<MessageCreate, 'channel'>
  MessageMark: Filled<MessageMark, 'isRead'>
  WebhookCreate: Filled<WebhookCreate, 'excludeOwnChanges' | 'allowDuplicate'>
  WebhookSecretRotation: Filled<WebhookSecretRotation, 'overlapHours'>
  ExecuteRequest: Filled<ExecuteRequest, 'input' | 'dryRun'>
  BatchStep: Filled<BatchStep, 'input'>
  ExecuteBatch: Filled<ExecuteBatch, 'dryRun', { steps: Checked['BatchStep'][] }>
  ProposalCreate: Filled<ProposalCreate, 'input'>
  PortalBidLineInput: Filled<PortalBidLineInput, 'excluded' | 'alternate'>
  PortalBidDraftInput: Filled<PortalBidDraftInput, never, { lines: Checked['PortalBidLineInput'][] }>
  PasskeyAdd: Filled<PasskeyAdd, 'transports'>
  ApiKeyCreate: Filled<ApiKeyCreate, 'proposeOnly'>
  ApiKeyRotate: Filled<ApiKeyRotate, 'overlapDays'>
  UserInvite: Filled<UserInvite, 'poApprovalLimit'>
  AwardBidInput: Filled<AwardBidInput, 'rejectOthers' | 'createPurchaseOrder'>
  SuggestVendorsForScopeInput: Filled<SuggestVendorsForScopeInput, 'count'>
  DetectOverCommittedBudgetsInput: Filled<DetectOverCommittedBudgetsInput, 'thresholdPercent'>
  BudgetVsActualInput: Filled<BudgetVsActualInput, 'groupBy'>
  CashFlowForecastInput: Filled<CashFlowForecastInput, 'weeks' | 'openingBalance'>
  VarianceReportInput: Filled<VarianceReportInput, 'groupBy'>
  LevelBidsInput: Filled<LevelBidsInput, 'plugAmounts'>
  SplitAwardInput: Filled<SplitAwardInput, 'createPurchaseOrders'>
  SendBidRemindersInput: Filled<SendBidRemindersInput, 'daysBeforeDeadline'>
  ExtendBidDeadlineInput: Filled<ExtendBidDeadlineInput, 'notify'>
  RequestBidsForHomeInput: Filled<RequestBidsForHomeInput, 'vendorsEach'>
  FindBidCoverageGapsInput: Filled<FindBidCoverageGapsInput, 'minimumBids'>
  CompressScheduleInput: Filled<CompressScheduleInput, 'mostPercent'>
  LookaheadInput: Filled<LookaheadInput, 'weeks'>
  RequestStartConfirmationsInput: Filled<RequestStartConfirmationsInput, 'withinDays'>
  FindExpiringInsuranceInput: Filled<FindExpiringInsuranceInput, 'withinDays'>
  FindInactiveVendorsInput: Filled<FindInactiveVendorsInput, 'months'>
  StaleLeadsInput: Filled<StaleLeadsInput, 'days'>
  PayOnCompletionInput: Filled<PayOnCompletionInput, 'method'>
  ReleaseRetainageInput: Filled<ReleaseRetainageInput, 'method'>
  AllocateOverheadInput: Filled<AllocateOverheadInput, 'basis'>
  PriceTakeoffInput: Filled<PriceTakeoffInput, 'optionIds'>
  CreateVariancePoInput: Filled<CreateVariancePoInput, never, { lines: Checked['PurchaseOrderLineInput'][] }>
  ReassignVendorInput: Filled<ReassignVendorInput, 'reason' | 'notify'>
  PurchaseForecastInput: Filled<PurchaseForecastInput, 'weeks'>
  OnboardVendorInput: Filled<OnboardVendorInput, 'documents' | 'invite', { documents: Checked['ComplianceDocumentCreate'][] }>
  NotifyVendorsOfScheduleInput: Filled<NotifyVendorsOfScheduleInput, 'kind' | 'withinDays'>
  PriceHomeInput: Filled<PriceHomeInput, 'optionIds' | 'lotPremium'>
  ApplySelectionInput: Filled<ApplySelectionInput, 'quantity'>
  TimesheetCostSummaryInput: Filled<TimesheetCostSummaryInput, 'groupBy'>
  ImportRowsInput: Filled<ImportRowsInput, 'mode'>
  CloneHomeSetupInput: Filled<CloneHomeSetupInput, 'copy'>
}

/** The inputs of the composite skills. */
export interface CheckedSkills {
  awardBid: Checked['AwardBidInput']
  suggestVendorsForScope: Checked['SuggestVendorsForScopeInput']
  detectOverCommittedBudgets: Checked['DetectOverCommittedBudgetsInput']
  forecastCostAtCompletion: ForecastCostAtCompletionInput
  budgetVsActual: Checked['BudgetVsActualInput']
  marginReport: MarginReportInput
  wipReport: WipReportInput
  cashFlowForecast: Checked['CashFlowForecastInput']
  varianceReport: Checked['VarianceReportInput']
  costPerSquareFoot: CostPerSquareFootInput
  committedCostAging: CommittedCostAgingInput
  drawRequest: DrawRequestInput
  simulatePriceIncrease: SimulatePriceIncreaseInput
  retainageSummary: RetainageSummaryInput
  vendorStatement: VendorStatementInput
  levelBids: Checked['LevelBidsInput']
  recommendAward: RecommendAwardInput
  splitAward: Checked['SplitAwardInput']
  sendBidReminders: Checked['SendBidRemindersInput']
  extendBidDeadline: Checked['ExtendBidDeadlineInput']
  requestBidsForHome: Checked['RequestBidsForHomeInput']
  findBidCoverageGaps: Checked['FindBidCoverageGapsInput']
  bidHistory: BidHistoryInput
  findUnboughtScopes: FindUnboughtScopesInput
  forecastHomeCompletion: ForecastHomeCompletionInput
  compressSchedule: Checked['CompressScheduleInput']
  lookahead: Checked['LookaheadInput']
  findLateTasks: FindLateTasksInput
  cycleTimeReport: CycleTimeReportInput
  delayAnalysis: DelayAnalysisInput
  evenFlowPlan: EvenFlowPlanInput
  requestStartConfirmations: Checked['RequestStartConfirmationsInput']
  rankVendors: RankVendorsInput
  findExpiringInsurance: Checked['FindExpiringInsuranceInput']
  concentrationRisk: ConcentrationRiskInput
  findInactiveVendors: Checked['FindInactiveVendorsInput']
  salesPipelineReport: SalesPipelineReportInput
  staleLeads: Checked['StaleLeadsInput']
  backlogReport: BacklogReportInput
  optionPopularity: OptionPopularityInput
  validateSelections: ValidateSelectionsInput
  overdueSelections: OverdueSelectionsInput
  homeSnapshot: HomeSnapshotInput
  communityDashboard: CommunityDashboardInput
  exceptionsToday: ExceptionsTodayInput
  closingReadiness: ClosingReadinessInput
  startPackageCheck: StartPackageCheckInput
  payableNow: PayableNowInput
  payOnCompletion: Checked['PayOnCompletionInput']
  releaseRetainage: Checked['ReleaseRetainageInput']
  requestLienWaivers: RequestLienWaiversInput
  findMissingLienWaivers: FindMissingLienWaiversInput
  matchInvoice: MatchInvoiceInput
  voidPaymentAndReissue: VoidPaymentAndReissueInput
  allocateOverhead: Checked['AllocateOverheadInput']
  priceTakeoff: Checked['PriceTakeoffInput']
  draftPurchaseOrders: DraftPurchaseOrdersInput
  issuePurchaseOrders: IssuePurchaseOrdersInput
  createVariancePo: Checked['CreateVariancePoInput']
  createChangePoFromSelection: CreateChangePoFromSelectionInput
  createBackcharge: CreateBackchargeInput
  reassignVendor: Checked['ReassignVendorInput']
  purchaseForecast: Checked['PurchaseForecastInput']
  mergeVendors: MergeVendorsInput
  onboardVendor: Checked['OnboardVendorInput']
  notifyVendorsOfSchedule: Checked['NotifyVendorsOfScheduleInput']
  priceHome: Checked['PriceHomeInput']
  applySelection: Checked['ApplySelectionInput']
  timesheetCostSummary: Checked['TimesheetCostSummaryInput']
  approveTimesheets: ApproveTimesheetsInput
  importRows: Checked['ImportRowsInput']
  cloneHomeSetup: Checked['CloneHomeSetupInput']
}

export interface CheckedBodies {
  createVendor: Checked['VendorCreate']
  syncVendors: Checked['VendorsSync']
  addComplianceDocument: Checked['ComplianceDocumentCreate']
  createScope: Checked['ScopeCreate']
  createBidRequest: Checked['BidRequestCreate']
  updateBidRequest: Checked['BidRequestUpdate']
  submitBid: Checked['BidSubmit']
  reviseBid: Checked['BidRevise']
  acceptBid: Checked['BidAccept']
  createCommunity: Checked['CommunityCreate']
  syncCommunities: Checked['CommunitiesSync']
  createPlan: Checked['PlanCreate']
  updatePlan: Checked['PlanUpdate']
  createHome: Checked['HomeCreate']
  syncHomes: Checked['HomesSync']
  syncCostCodes: Checked['CostCodesSync']
  syncParts: Checked['PartsSync']
  addPrice: Checked['PriceCreate']
  syncPrices: Checked['PricesSync']
  createOption: Checked['OptionCreate']
  replaceTakeoff: Checked['TakeoffReplace']
  replaceOptionTakeoff: Checked['OptionTakeoffReplace']
  createContract: Checked['ContractCreate']
  updateContract: Checked['ContractUpdate']
  changeContractStatus: Checked['ContractStatusMove']
  addSelection: Checked['SelectionCreate']
  syncBudgetLines: Checked['BudgetLinesSync']
  createPurchaseOrder: Checked['PurchaseOrderCreate']
  updatePurchaseOrder: Checked['PurchaseOrderUpdate']
  createPayment: Checked['PaymentCreate']
  createPaymentRun: Checked['PaymentRunCreate']
  transferCost: Checked['CostTransfer']
  createJournal: Checked['JournalCreate']
  createTask: Checked['TaskCreate']
  updateTask: Checked['TaskUpdate']
  changeTaskStatus: Checked['TaskStatusMove']
  completeTask: Checked['TaskCompletion']
  createMilestone: Checked['MilestoneCreate']
  completeMilestone: Checked['MilestoneCompletion']
  addTimeEntry: Checked['TimeEntryCreate']
  clockOut: Checked['ClockOut']
  createTaskTemplate: Checked['TaskTemplateCreate']
  updateTaskTemplate: Checked['TaskTemplateUpdate']
  applyScheduleTemplate: Checked['ScheduleTemplateApply']
  createLead: Checked['LeadCreate']
  convertLead: Checked['LeadConversion']
  createSale: Checked['SaleCreate']
  advanceSalePipeline: Checked['SaleStageMove']
  createApplication: Checked['ApplicationCreate']
  updateApplication: Checked['ApplicationUpdate']
  sendMessage: Checked['MessageCreate']
  setMessageReadState: Checked['MessageMark']
  createWebhook: Checked['WebhookCreate']
  rotateWebhookSecret: Checked['WebhookSecretRotation']
  executeSkill: Checked['ExecuteRequest']
  executeBatch: Checked['ExecuteBatch']
  createProposal: Checked['ProposalCreate']
  savePortalBidDraft: Checked['PortalBidDraftInput']
  addPasskey: Checked['PasskeyAdd']
  createKey: Checked['ApiKeyCreate']
  rotateKey: Checked['ApiKeyRotate']
  inviteUser: Checked['UserInvite']
}

/** The parameters of a query that are always there. */
export interface FilledQueries {
  listVendors: 'limit' | 'sort' | 'includeArchived'
  listComplianceDocuments: 'limit' | 'sort' | 'includeArchived'
  listVendorNotifications: 'limit' | 'sort'
  listScopes: 'limit' | 'sort' | 'includeArchived'
  listBidRequests: 'limit' | 'sort'
  listInvitations: 'limit' | 'sort'
  listBids: 'limit' | 'sort'
  listCommunities: 'limit' | 'sort' | 'includeArchived'
  listPlans: 'limit' | 'sort' | 'includeArchived'
  listPlanRevisions: 'limit' | 'sort'
  listHomes: 'limit' | 'sort' | 'includeArchived'
  listCostCodes: 'limit' | 'sort' | 'includeArchived'
  listParts: 'limit' | 'sort' | 'includeArchived'
  listPrices: 'limit' | 'sort' | 'includeArchived'
  findPrice: 'quantity'
  explainPrice: 'quantity'
  listOptions: 'limit' | 'sort' | 'includeArchived'
  listContracts: 'limit' | 'sort' | 'includeArchived'
  listSelections: 'limit' | 'sort'
  listBudgetLines: 'limit' | 'sort' | 'includeArchived'
  listBudgetTransfers: 'limit' | 'sort'
  listPurchaseOrders: 'limit' | 'sort'
  findDuplicatePurchaseOrders: 'limit'
  listPayments: 'limit' | 'sort'
  listLienWaivers: 'limit' | 'sort'
  listPaymentRuns: 'limit' | 'sort'
  listPostings: 'limit' | 'sort'
  getPostingsCsv: 'limit' | 'afterSequence'
  getPostingsNdjson: 'limit' | 'afterSequence'
  getJobCostLedger: 'limit'
  getLedgerBalances: 'limit' | 'groupBy'
  listJournals: 'limit' | 'sort'
  listPeriodCloses: 'limit' | 'sort'
  listTasks: 'limit' | 'sort' | 'includeArchived'
  listMilestones: 'limit' | 'sort' | 'includeArchived'
  listLoans: 'limit' | 'sort' | 'includeArchived'
  listLoanDraws: 'limit' | 'sort'
  listCalendarFeeds: 'limit' | 'sort' | 'includeArchived'
  getVendorWorkload: 'limit' | 'weeks'
  listTimesheets: 'limit' | 'sort'
  listTimeEntries: 'limit' | 'sort' | 'includeArchived'
  listTaskTemplates: 'limit' | 'sort' | 'includeArchived'
  getAccountingSyncQueue: 'limit'
  getAccountingCsv: 'limit'
  getAccountingNdjson: 'limit'
  getForm1099Totals: 'limit'
  getForm1099Csv: 'limit'
  getForm1099Corrections: 'limit'
  listLeads: 'limit' | 'sort' | 'includeArchived'
  listLeadActivities: 'limit' | 'sort'
  listSales: 'limit' | 'sort'
  listBuyerChanges: 'limit' | 'sort'
  listApplications: 'limit' | 'sort'
  listUsers: 'limit' | 'sort'
  listMessages: 'limit' | 'sort'
  listMessageTemplates: 'limit' | 'sort'
  listMails: 'limit' | 'sort'
  search: 'limit'
  listAttachments: 'limit' | 'sort' | 'includeArchived'
  listWebhooks: 'limit' | 'sort' | 'includeArchived'
  listDeliveries: 'limit' | 'sort'
  listEvents: 'limit' | 'sort' | 'wait'
  listStatusChanges: 'limit' | 'sort'
  listAuditEntries: 'limit' | 'sort'
  listSkills: 'limit'
  listProposals: 'limit' | 'sort'
  listExecutions: 'limit' | 'sort'
  listPortalInvitations: 'limit'
  listPortalAttachments: 'limit'
  listPortalTasks: 'limit'
  listPortalOrders: 'limit'
  listPortalOrderAttachments: 'limit'
  listPortalComplianceDocuments: 'limit'
  listPortalPayments: 'limit'
  listPortalLienWaivers: 'limit'
  listPortalMessages: 'limit'
  listSessions: 'limit'
  listPasskeys: 'limit'
  listKeys: 'limit' | 'sort'
  getKeyUsage: 'days'
  listOauthGrants: 'limit' | 'sort'
}
