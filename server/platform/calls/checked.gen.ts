/** Inputs as the validator leaves them, with the contract's defaults filled in. Made by `npm run generate`. */
import type { AllocateOverheadInput, ApiKeyCreate, ApiKeyRotate, ApplicationCreate, ApplicationLineInput, ApplicationUpdate, ApplySelectionInput, ApproveTimesheetsInput, AwardBidInput, BacklogReportInput, BatchStep, BidAccept, BidHistoryInput, BidLineInput, BidRequestCreate, BidRequestLineInput, BidRequestUpdate, BidRevise, BidSubmit, BudgetLinesSync, BudgetVsActualInput, CashFlowForecastInput, ChecklistItemInput, ClockOut, CloneHomeSetupInput, ClosingReadinessInput, CommittedCostAgingInput, CommunitiesSync, CommunityCreate, CommunityDashboardInput, ComplianceDocumentCreate, CompressScheduleInput, ConcentrationRiskInput, ContractCreate, ContractLineInput, ContractStatusMove, ContractUpdate, CostCodesSync, CostPerSquareFootInput, CostTransfer, CreateBackchargeInput, CreateChangePoFromSelectionInput, CreateVariancePoInput, CycleTimeReportInput, DelayAnalysisInput, DetectOverCommittedBudgetsInput, DraftPurchaseOrdersInput, DrawRequestInput, ElevationInput, EvenFlowPlanInput, ExceptionsTodayInput, ExecuteBatch, ExecuteRequest, ExtendBidDeadlineInput, FindBidCoverageGapsInput, FindExpiringInsuranceInput, FindInactiveVendorsInput, FindLateTasksInput, FindMissingLienWaiversInput, FindUnboughtScopesInput, ForecastCostAtCompletionInput, ForecastHomeCompletionInput, HomeCreate, HomeSnapshotInput, HomesSync, ImportRowsInput, IssuePurchaseOrdersInput, JournalCreate, JournalLineInput, LeadConversion, LeadCreate, LevelBidsInput, LookaheadInput, MarginReportInput, MatchInvoiceInput, MergeVendorsInput, MessageCreate, MessageMark, MilestoneCompletion, MilestoneCreate, NotifyVendorsOfScheduleInput, OnboardVendorInput, OptionCreate, OptionPopularityInput, OptionTakeoffLineInput, OptionTakeoffReplace, OverdueSelectionsInput, PartsSync, PasskeyAdd, PayOnCompletionInput, PayableNowInput, PaymentCreate, PaymentRunCreate, PlanCreate, PlanUpdate, PortalBidDraftInput, PortalBidLineInput, PriceCreate, PriceHomeInput, PriceTakeoffInput, PricesSync, ProposalCreate, PurchaseForecastInput, PurchaseOrderCreate, PurchaseOrderLineInput, PurchaseOrderUpdate, RankVendorsInput, ReassignVendorInput, RecommendAwardInput, ReleaseRetainageInput, RequestBidsForHomeInput, RequestLienWaiversInput, RequestStartConfirmationsInput, RetainageSummaryInput, SaleCreate, SaleStageMove, SalesPipelineReportInput, ScheduleTemplateApply, ScopeCreate, SelectionCreate, SendBidRemindersInput, SimulatePriceIncreaseInput, SplitAwardInput, StaleLeadsInput, StartPackageCheckInput, SuggestVendorsForScopeInput, TakeoffLineInput, TakeoffReplace, TaskCompletion, TaskCreate, TaskPredecessorInput, TaskStatusMove, TaskTemplateCreate, TaskTemplateLinkInput, TaskTemplateRowInput, TaskTemplateUpdate, TaskUpdate, TimeEntryCreate, TimesheetCostSummaryInput, UserInvite, ValidateSelectionsInput, VarianceReportInput, VendorCreate, VendorStatementInput, VendorsSync, VoidPaymentAndReissueInput, WebhookCreate, WebhookSecretRotation, WipReportInput } from '../../../client/contract.gen.ts'
import type { WithDefaults } from './operation.ts'

export interface Checked {
  VendorCreate: WithDefaults<VendorCreate, 'status'>
  VendorsSync: WithDefaults<VendorsSync, 'mode'>
  ComplianceDocumentCreate: WithDefaults<ComplianceDocumentCreate, 'status' | 'additionalInsured'>
  ScopeCreate: WithDefaults<ScopeCreate, 'sequence'>
  BidRequestLineInput: WithDefaults<BidRequestLineInput, 'quantity' | 'unit' | 'required'>
  BidRequestCreate: WithDefaults<BidRequestCreate, 'bidType' | 'blind' | 'acceptLate' | 'awardMode' | 'sendNow', { lines: Checked['BidRequestLineInput'][] }>
  BidRequestUpdate: WithDefaults<BidRequestUpdate, never, { lines: Checked['BidRequestLineInput'][] }>
  BidLineInput: WithDefaults<BidLineInput, 'excluded' | 'alternate'>
  BidSubmit: WithDefaults<BidSubmit, 'source', { lines: Checked['BidLineInput'][] }>
  BidRevise: WithDefaults<BidRevise, never, { lines: Checked['BidLineInput'][] }>
  BidAccept: WithDefaults<BidAccept, 'rejectOthers' | 'createPurchaseOrder'>
  CommunityCreate: WithDefaults<CommunityCreate, 'status' | 'workdays' | 'holidays'>
  CommunitiesSync: WithDefaults<CommunitiesSync, 'mode'>
  ElevationInput: WithDefaults<ElevationInput, 'price' | 'figures'>
  PlanCreate: WithDefaults<PlanCreate, 'communityIds' | 'figures' | 'elevations', { elevations: Checked['ElevationInput'][] }>
  PlanUpdate: WithDefaults<PlanUpdate, never, { elevations: Checked['ElevationInput'][] }>
  HomeCreate: WithDefaults<HomeCreate, 'homeType'>
  HomesSync: WithDefaults<HomesSync, 'mode'>
  CostCodesSync: WithDefaults<CostCodesSync, 'mode'>
  PartsSync: WithDefaults<PartsSync, 'mode'>
  PriceCreate: WithDefaults<PriceCreate, 'minQuantity' | 'preferred' | 'endPrevious'>
  PricesSync: WithDefaults<PricesSync, 'mode'>
  OptionCreate: WithDefaults<OptionCreate, 'planIds' | 'communityIds' | 'unit' | 'costBasis' | 'requiresOptionIds' | 'excludesOptionIds'>
  TakeoffLineInput: WithDefaults<TakeoffLineInput, 'wastePercent'>
  TakeoffReplace: WithDefaults<TakeoffReplace, never, { lines: Checked['TakeoffLineInput'][] }>
  OptionTakeoffLineInput: WithDefaults<OptionTakeoffLineInput, 'wastePercent'>
  OptionTakeoffReplace: WithDefaults<OptionTakeoffReplace, never, { lines: Checked['OptionTakeoffLineInput'][] }>
  ContractLineInput: WithDefaults<ContractLineInput, 'minQuantity'>
  ContractCreate: WithDefaults<ContractCreate, 'communityIds' | 'planIds' | 'preferred', { lines: Checked['ContractLineInput'][] }>
  ContractUpdate: WithDefaults<ContractUpdate, never, { lines: Checked['ContractLineInput'][] }>
  ContractStatusMove: WithDefaults<ContractStatusMove, 'endPrevious'>
  SelectionCreate: WithDefaults<SelectionCreate, 'quantity'>
  BudgetLinesSync: WithDefaults<BudgetLinesSync, 'mode'>
  PurchaseOrderLineInput: WithDefaults<PurchaseOrderLineInput, 'unit' | 'taxPercent'>
  PurchaseOrderCreate: WithDefaults<PurchaseOrderCreate, 'poType', { lines: Checked['PurchaseOrderLineInput'][] }>
  PurchaseOrderUpdate: WithDefaults<PurchaseOrderUpdate, never, { lines: Checked['PurchaseOrderLineInput'][] }>
  PaymentCreate: WithDefaults<PaymentCreate, 'paymentType' | 'method'>
  PaymentRunCreate: WithDefaults<PaymentRunCreate, 'method'>
  CostTransfer: WithDefaults<CostTransfer, 'fromScope' | 'fromCostCodeId' | 'toScope' | 'toCostCodeId'>
  JournalLineInput: WithDefaults<JournalLineInput, 'scope' | 'costCodeId'>
  JournalCreate: WithDefaults<JournalCreate, never, { lines: Checked['JournalLineInput'][] }>
  TaskPredecessorInput: WithDefaults<TaskPredecessorInput, 'type' | 'lagDays'>
  ChecklistItemInput: WithDefaults<ChecklistItemInput, 'done'>
  TaskCreate: WithDefaults<TaskCreate, 'taskKind' | 'workdayOverride' | 'predecessors' | 'checklist' | 'poIds' | 'payOnComplete', { predecessors: Checked['TaskPredecessorInput'][]; checklist: Checked['ChecklistItemInput'][] }>
  TaskUpdate: WithDefaults<TaskUpdate, never, { predecessors: Checked['TaskPredecessorInput'][]; checklist: Checked['ChecklistItemInput'][] }>
  TaskStatusMove: WithDefaults<TaskStatusMove, 'force'>
  TaskCompletion: WithDefaults<TaskCompletion, 'force', { checklist: Checked['ChecklistItemInput'][] }>
  MilestoneCreate: WithDefaults<MilestoneCreate, 'milestoneType' | 'taskIds' | 'autoComplete'>
  MilestoneCompletion: WithDefaults<MilestoneCompletion, 'force'>
  TimeEntryCreate: WithDefaults<TimeEntryCreate, 'breakMinutes' | 'payType'>
  ClockOut: WithDefaults<ClockOut, 'breakMinutes'>
  TaskTemplateLinkInput: WithDefaults<TaskTemplateLinkInput, 'type' | 'lagDays'>
  TaskTemplateRowInput: WithDefaults<TaskTemplateRowInput, 'taskKind' | 'predecessors' | 'checklist', { predecessors: Checked['TaskTemplateLinkInput'][] }>
  TaskTemplateCreate: WithDefaults<TaskTemplateCreate, never, { rows: Checked['TaskTemplateRowInput'][] }>
  TaskTemplateUpdate: WithDefaults<TaskTemplateUpdate, never, { rows: Checked['TaskTemplateRowInput'][] }>
  ScheduleTemplateApply: WithDefaults<ScheduleTemplateApply, 'replace'>
  LeadCreate: WithDefaults<LeadCreate, 'source' | 'communityIds' | 'planIds'>
  LeadConversion: WithDefaults<LeadConversion, 'optionIds' | 'lotPremium' | 'incentives' | 'discounts' | 'deposits' | 'contingencies'>
  SaleCreate: WithDefaults<SaleCreate, 'optionIds' | 'lotPremium' | 'incentives' | 'discounts' | 'deposits' | 'contingencies'>
  SaleStageMove: WithDefaults<SaleStageMove, 'status'>
  ApplicationLineInput: WithDefaults<ApplicationLineInput, 'periodAmount' | 'storedAmount'>
  ApplicationCreate: WithDefaults<ApplicationCreate, 'lines', { lines: Checked['ApplicationLineInput'][] }>
  ApplicationUpdate: WithDefaults<ApplicationUpdate, never, { lines: Checked['ApplicationLineInput'][] }>
  MessageCreate: WithDefaults<MessageCreate, 'channel'>
  MessageMark: WithDefaults<MessageMark, 'isRead'>
  WebhookCreate: WithDefaults<WebhookCreate, 'excludeOwnChanges' | 'allowDuplicate'>
  WebhookSecretRotation: WithDefaults<WebhookSecretRotation, 'overlapHours'>
  ExecuteRequest: WithDefaults<ExecuteRequest, 'input' | 'dryRun'>
  BatchStep: WithDefaults<BatchStep, 'input'>
  ExecuteBatch: WithDefaults<ExecuteBatch, 'dryRun', { steps: Checked['BatchStep'][] }>
  ProposalCreate: WithDefaults<ProposalCreate, 'input'>
  PortalBidLineInput: WithDefaults<PortalBidLineInput, 'excluded' | 'alternate'>
  PortalBidDraftInput: WithDefaults<PortalBidDraftInput, never, { lines: Checked['PortalBidLineInput'][] }>
  PasskeyAdd: WithDefaults<PasskeyAdd, 'transports'>
  ApiKeyCreate: WithDefaults<ApiKeyCreate, 'proposeOnly'>
  ApiKeyRotate: WithDefaults<ApiKeyRotate, 'overlapDays'>
  UserInvite: WithDefaults<UserInvite, 'poApprovalLimit'>
  AwardBidInput: WithDefaults<AwardBidInput, 'rejectOthers' | 'createPurchaseOrder'>
  SuggestVendorsForScopeInput: WithDefaults<SuggestVendorsForScopeInput, 'count'>
  DetectOverCommittedBudgetsInput: WithDefaults<DetectOverCommittedBudgetsInput, 'thresholdPercent'>
  BudgetVsActualInput: WithDefaults<BudgetVsActualInput, 'groupBy'>
  CashFlowForecastInput: WithDefaults<CashFlowForecastInput, 'weeks' | 'openingBalance'>
  VarianceReportInput: WithDefaults<VarianceReportInput, 'groupBy'>
  LevelBidsInput: WithDefaults<LevelBidsInput, 'plugAmounts'>
  SplitAwardInput: WithDefaults<SplitAwardInput, 'createPurchaseOrders'>
  SendBidRemindersInput: WithDefaults<SendBidRemindersInput, 'daysBeforeDeadline'>
  ExtendBidDeadlineInput: WithDefaults<ExtendBidDeadlineInput, 'notify'>
  RequestBidsForHomeInput: WithDefaults<RequestBidsForHomeInput, 'vendorsEach'>
  FindBidCoverageGapsInput: WithDefaults<FindBidCoverageGapsInput, 'minimumBids'>
  CompressScheduleInput: WithDefaults<CompressScheduleInput, 'mostPercent'>
  LookaheadInput: WithDefaults<LookaheadInput, 'weeks'>
  RequestStartConfirmationsInput: WithDefaults<RequestStartConfirmationsInput, 'withinDays'>
  FindExpiringInsuranceInput: WithDefaults<FindExpiringInsuranceInput, 'withinDays'>
  FindInactiveVendorsInput: WithDefaults<FindInactiveVendorsInput, 'months'>
  StaleLeadsInput: WithDefaults<StaleLeadsInput, 'days'>
  PayOnCompletionInput: WithDefaults<PayOnCompletionInput, 'method'>
  ReleaseRetainageInput: WithDefaults<ReleaseRetainageInput, 'method'>
  AllocateOverheadInput: WithDefaults<AllocateOverheadInput, 'basis'>
  PriceTakeoffInput: WithDefaults<PriceTakeoffInput, 'optionIds'>
  CreateVariancePoInput: WithDefaults<CreateVariancePoInput, never, { lines: Checked['PurchaseOrderLineInput'][] }>
  ReassignVendorInput: WithDefaults<ReassignVendorInput, 'reason' | 'notify'>
  PurchaseForecastInput: WithDefaults<PurchaseForecastInput, 'weeks'>
  OnboardVendorInput: WithDefaults<OnboardVendorInput, 'documents' | 'invite', { documents: Checked['ComplianceDocumentCreate'][] }>
  NotifyVendorsOfScheduleInput: WithDefaults<NotifyVendorsOfScheduleInput, 'kind' | 'withinDays'>
  PriceHomeInput: WithDefaults<PriceHomeInput, 'optionIds' | 'lotPremium'>
  ApplySelectionInput: WithDefaults<ApplySelectionInput, 'quantity'>
  TimesheetCostSummaryInput: WithDefaults<TimesheetCostSummaryInput, 'groupBy'>
  ImportRowsInput: WithDefaults<ImportRowsInput, 'mode'>
  CloneHomeSetupInput: WithDefaults<CloneHomeSetupInput, 'copy'>
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
