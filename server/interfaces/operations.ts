import { keyOperations } from '../domain/administration/keys/operations.ts'
import { repeatKeySecret } from '../domain/administration/keys/repeat-key-secret.ts'
import { oauthGrantOperations } from '../domain/administration/oauth-grants/operations.ts'
import { organizationOperations } from '../domain/administration/organization/operations.ts'
import { passkeyOperations } from '../domain/administration/passkeys/operations.ts'
import { peopleOperations } from '../domain/administration/people/operations.ts'
import { sandboxOperations } from '../domain/administration/sandbox/operations.ts'
import { signInOperations } from '../domain/administration/sign-in/operations.ts'
import { keyUsageOperations } from '../domain/administration/usage/operations.ts'
import { attachmentOperations } from '../domain/attachments/operations.ts'
import { bidRequestOperations } from '../domain/bidding/bid-requests/operations.ts'
import { bidOperations } from '../domain/bidding/bids/operations.ts'
import { comparisonOperations } from '../domain/bidding/comparison/operations.ts'
import { contractOperations } from '../domain/bidding/contracts/operations.ts'
import { portalLinkOperations } from '../domain/bidding/portal-links/operations.ts'
import { repeatPortalLink } from '../domain/bidding/portal-links/repeat-portal-link.ts'
import { scorecardOperations } from '../domain/bidding/scorecards/operations.ts'
import { calendarOperations } from '../domain/building/calendars/operations.ts'
import { dailyLogOperations } from '../domain/building/daily-logs/operations.ts'
import { inspectionResultOperations } from '../domain/building/inspection-results/operations.ts'
import { inspectionOperations } from '../domain/building/inspections/operations.ts'
import { loanOperations } from '../domain/building/loans/operations.ts'
import { milestoneOperations } from '../domain/building/milestones/operations.ts'
import { permitOperations } from '../domain/building/permits/operations.ts'
import { taskTemplateOperations } from '../domain/building/task-templates/operations.ts'
import { confirmationOperations } from '../domain/building/tasks/confirm-task.ts'
import { taskOperations } from '../domain/building/tasks/operations.ts'
import { timesheetOperations } from '../domain/building/timesheets/operations.ts'
import { budgetTransferOperations } from '../domain/costs/budget-transfers/operations.ts'
import { budgetOperations } from '../domain/costs/budgets/operations.ts'
import { costCodeOperations } from '../domain/costs/cost-codes/operations.ts'
import { optionOperations } from '../domain/costs/options/operations.ts'
import { partOperations } from '../domain/costs/parts/operations.ts'
import { priceOperations } from '../domain/costs/prices/operations.ts'
import { takeoffOperations } from '../domain/costs/takeoffs/operations.ts'
import { awardOperations } from '../domain/flows/award/operations.ts'
import { communityOperations } from '../domain/flows/communities/operations.ts'
import { vendorNotificationOperations } from '../domain/flows/vendor-notifications/operations.ts'
import { homeOwnerOperations } from '../domain/land/home-owners/operations.ts'
import { repeatOwnerLink } from '../domain/land/home-owners/repeat-owner-link.ts'
import { homeOperations } from '../domain/land/homes/operations.ts'
import { planOperations } from '../domain/land/plans/operations.ts'
import { ledgerOperations } from '../domain/ledger/operations.ts'
import { messageOperations } from '../domain/messages/operations.ts'
import { mailOperations } from '../domain/office/mail/operations.ts'
import { messageTemplateOperations } from '../domain/office/message-templates/operations.ts'
import { userOperations } from '../domain/office/users/operations.ts'
import { accountingOperations } from '../domain/paying/accounting/operations.ts'
import { billOperations } from '../domain/paying/bills/operations.ts'
import { lienWaiverOperations } from '../domain/paying/lien-waivers/operations.ts'
import { orderDocumentOperations } from '../domain/paying/order-documents/operations.ts'
import { paymentRunOperations } from '../domain/paying/payment-runs/operations.ts'
import { paymentOperations } from '../domain/paying/payments/operations.ts'
import { purchaseOrderOperations } from '../domain/paying/purchase-orders/operations.ts'
import { repriceOperations } from '../domain/paying/reprice-orders/operations.ts'
import { drawingOperations } from '../domain/quality/drawings/operations.ts'
import { fieldOperations } from '../domain/quality/field-day/operations.ts'
import { punchItemOperations } from '../domain/quality/punch-items/operations.ts'
import { visitOperations } from '../domain/quality/visits/operations.ts'
import { walkthroughOperations } from '../domain/quality/walkthroughs/operations.ts'
import { warrantyRequestOperations } from '../domain/quality/warranty-requests/operations.ts'
import { warrantyTermOperations } from '../domain/quality/warranty-terms/operations.ts'
import { buyerChangeOperations } from '../domain/selling/buyer-changes/operations.ts'
import { leadOperations } from '../domain/selling/leads/operations.ts'
import { ownerBillingOperations } from '../domain/selling/owner-billing/operations.ts'
import { saleOperations } from '../domain/selling/sales/operations.ts'
import { selectionOperations } from '../domain/selling/selections/operations.ts'
import { complianceDocumentOperations } from '../domain/vendors/compliance-documents/operations.ts'
import { scopeOperations } from '../domain/vendors/scopes/operations.ts'
import { vendorOperations } from '../domain/vendors/vendors/operations.ts'
import { auditOperations } from '../platform/audit/operations.ts'
import type { Handlers } from '../platform/calls/operation.ts'
import { mergeHandlers } from '../platform/calls/operation.ts'
import type { RepeatRulesByOperation } from '../platform/calls/repeated-response.ts'
import { eventOperations } from '../platform/events/operations.ts'
import { webhookOperations } from '../platform/webhooks/operations.ts'
import { repeatWebhookSecret } from '../platform/webhooks/repeat-webhook-secret.ts'
import { importOperations } from './imports/operations.ts'
import { portalOperations } from './portal/operations.ts'
import { proposalOperations } from './proposals/operations.ts'
import { savedReportOperations } from './reports/operations.ts'
import { platformOperations } from './service/operations.ts'
import { searchOperations } from './service/search/operations.ts'
import { executionOperations } from './skills/execution-operations.ts'
import { createBatchRepeatRules, createExecutionRepeatRules } from './skills/execution-repeat-rules.ts'
import { skillOperations } from './skills/operations.ts'

/**
 * The handlers of all operations in the contract's order. The compiler reports a missing, unknown, or duplicate
 * handler.
 */
export const operations: Handlers = mergeHandlers(
  vendorOperations,
  scorecardOperations,
  vendorNotificationOperations,
  complianceDocumentOperations,
  scopeOperations,
  portalLinkOperations,
  bidRequestOperations,
  comparisonOperations,
  bidOperations,
  awardOperations,
  communityOperations,
  planOperations,
  homeOperations,
  costCodeOperations,
  partOperations,
  priceOperations,
  optionOperations,
  takeoffOperations,
  contractOperations,
  selectionOperations,
  budgetOperations,
  budgetTransferOperations,
  purchaseOrderOperations,
  repriceOperations,
  billOperations,
  paymentOperations,
  accountingOperations,
  lienWaiverOperations,
  paymentRunOperations,
  orderDocumentOperations,
  ledgerOperations,
  taskOperations,
  confirmationOperations,
  permitOperations,
  dailyLogOperations,
  inspectionOperations,
  inspectionResultOperations,
  milestoneOperations,
  loanOperations,
  calendarOperations,
  timesheetOperations,
  taskTemplateOperations,
  walkthroughOperations,
  fieldOperations,
  punchItemOperations,
  warrantyTermOperations,
  warrantyRequestOperations,
  visitOperations,
  drawingOperations,
  homeOwnerOperations,
  leadOperations,
  saleOperations,
  buyerChangeOperations,
  ownerBillingOperations,
  userOperations,
  importOperations,
  savedReportOperations,
  messageOperations,
  messageTemplateOperations,
  mailOperations,
  searchOperations,
  attachmentOperations,
  webhookOperations,
  eventOperations,
  auditOperations,
  skillOperations,
  proposalOperations,
  executionOperations,
  platformOperations,
  portalOperations,
  signInOperations,
  passkeyOperations,
  keyOperations,
  oauthGrantOperations,
  keyUsageOperations,
  peopleOperations,
  organizationOperations,
  sandboxOperations,
)

const secretRepeats: RepeatRulesByOperation = {
  createWebhook: repeatWebhookSecret,
  rotateWebhookSecret: repeatWebhookSecret,
}

/**
 * For operations that do not return the stored response when a request repeats an Idempotency-Key: how to respond
 * instead.
 */
export const repeats: RepeatRulesByOperation = {
  ...secretRepeats,
  copyVendorPortalLink: repeatPortalLink,
  copyInvitationLink: repeatPortalLink,
  copyHomeOwnerLink: repeatOwnerLink,
  createKey: repeatKeySecret,
  rotateKey: repeatKeySecret,
  executeSkill: createExecutionRepeatRules(secretRepeats),
  executeBatch: createBatchRepeatRules(createExecutionRepeatRules(secretRepeats)),
}
