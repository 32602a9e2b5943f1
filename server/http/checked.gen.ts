/** Inputs as the validator leaves them, with the contract's defaults filled in. Made by `npm run generate`. */
import type { AwardBidInput, BidAccept, BidLineInput, BidRequestCreate, BidRequestLineInput, BidRequestUpdate, BidRevise, BidSubmit, ChecklistItemInput, CommunityCreate, ComplianceDocumentCreate, ContractCreate, ContractLineInput, ContractStatusMove, ContractUpdate, CostCodesSync, DetectOverCommittedBudgetsInput, ElevationInput, ExecuteRequest, HomeCreate, MessageCreate, OptionCreate, OptionTakeoffLineInput, OptionTakeoffReplace, PartsSync, PlanCreate, PlanUpdate, PriceCreate, PricesSync, PurchaseOrderCreate, PurchaseOrderLineInput, PurchaseOrderUpdate, ScopeCreate, SelectionCreate, SuggestVendorsForScopeInput, TakeoffLineInput, TakeoffReplace, TaskCompletion, TaskCreate, TaskPredecessorInput, TaskStatusMove, TaskUpdate, VendorCreate, WebhookCreate, WebhookSecretRotation } from '../../client/contract.gen.ts'
import type { Filled } from './operation.ts'

export interface Checked {
  VendorCreate: Filled<VendorCreate, 'status'>
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
  ElevationInput: Filled<ElevationInput, 'price' | 'figures'>
  PlanCreate: Filled<PlanCreate, 'communityIds' | 'figures' | 'elevations', { elevations: Checked['ElevationInput'][] }>
  PlanUpdate: Filled<PlanUpdate, never, { elevations: Checked['ElevationInput'][] }>
  HomeCreate: Filled<HomeCreate, 'homeType'>
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
  ContractCreate: Filled<ContractCreate, 'contractType' | 'communityIds' | 'planIds' | 'preferred', { lines: Checked['ContractLineInput'][] }>
  ContractUpdate: Filled<ContractUpdate, never, { lines: Checked['ContractLineInput'][] }>
  ContractStatusMove: Filled<ContractStatusMove, 'endPrevious'>
  SelectionCreate: Filled<SelectionCreate, 'quantity'>
  PurchaseOrderLineInput: Filled<PurchaseOrderLineInput, 'unit' | 'taxPercent'>
  PurchaseOrderCreate: Filled<PurchaseOrderCreate, 'poType', { lines: Checked['PurchaseOrderLineInput'][] }>
  PurchaseOrderUpdate: Filled<PurchaseOrderUpdate, never, { lines: Checked['PurchaseOrderLineInput'][] }>
  TaskPredecessorInput: Filled<TaskPredecessorInput, 'type' | 'lagDays'>
  ChecklistItemInput: Filled<ChecklistItemInput, 'done'>
  TaskCreate: Filled<TaskCreate, 'taskKind' | 'predecessors' | 'checklist', { predecessors: Checked['TaskPredecessorInput'][]; checklist: Checked['ChecklistItemInput'][] }>
  TaskUpdate: Filled<TaskUpdate, never, { predecessors: Checked['TaskPredecessorInput'][]; checklist: Checked['ChecklistItemInput'][] }>
  TaskStatusMove: Filled<TaskStatusMove, 'force'>
  TaskCompletion: Filled<TaskCompletion, 'force', { checklist: Checked['ChecklistItemInput'][] }>
  MessageCreate: Filled<MessageCreate, 'channel'>
  WebhookCreate: Filled<WebhookCreate, 'excludeOwnChanges' | 'allowDuplicate'>
  WebhookSecretRotation: Filled<WebhookSecretRotation, 'overlapHours'>
  ExecuteRequest: Filled<ExecuteRequest, 'input' | 'dryRun'>
  AwardBidInput: Filled<AwardBidInput, 'rejectOthers' | 'createPurchaseOrder'>
  SuggestVendorsForScopeInput: Filled<SuggestVendorsForScopeInput, 'count'>
  DetectOverCommittedBudgetsInput: Filled<DetectOverCommittedBudgetsInput, 'thresholdPercent'>
}

export interface CheckedBodies {
  createVendor: Checked['VendorCreate']
  addComplianceDocument: Checked['ComplianceDocumentCreate']
  createScope: Checked['ScopeCreate']
  createBidRequest: Checked['BidRequestCreate']
  updateBidRequest: Checked['BidRequestUpdate']
  submitBid: Checked['BidSubmit']
  reviseBid: Checked['BidRevise']
  acceptBid: Checked['BidAccept']
  createCommunity: Checked['CommunityCreate']
  createPlan: Checked['PlanCreate']
  updatePlan: Checked['PlanUpdate']
  createHome: Checked['HomeCreate']
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
  createPurchaseOrder: Checked['PurchaseOrderCreate']
  updatePurchaseOrder: Checked['PurchaseOrderUpdate']
  createTask: Checked['TaskCreate']
  updateTask: Checked['TaskUpdate']
  changeTaskStatus: Checked['TaskStatusMove']
  completeTask: Checked['TaskCompletion']
  sendMessage: Checked['MessageCreate']
  createWebhook: Checked['WebhookCreate']
  rotateWebhookSecret: Checked['WebhookSecretRotation']
  executeSkill: Checked['ExecuteRequest']
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
  listTasks: 'limit' | 'sort' | 'includeArchived'
  listMessages: 'limit' | 'sort'
  listWebhooks: 'limit' | 'sort' | 'includeArchived'
  listDeliveries: 'limit' | 'sort'
  listEvents: 'limit' | 'sort'
  listStatusChanges: 'limit' | 'sort'
  listAuditEntries: 'limit' | 'sort'
  listSkills: 'limit'
  listPortalInvitations: 'limit'
}
