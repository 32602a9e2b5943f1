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
import { loanOperations } from '../domain/building/loans/operations.ts'
import { milestoneOperations } from '../domain/building/milestones/operations.ts'
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
import { homeOperations } from '../domain/land/homes/operations.ts'
import { planOperations } from '../domain/land/plans/operations.ts'
import { ledgerOperations } from '../domain/ledger/operations.ts'
import { messageOperations } from '../domain/messages/operations.ts'
import { mailOperations } from '../domain/office/mail/operations.ts'
import { messageTemplateOperations } from '../domain/office/message-templates/operations.ts'
import { userOperations } from '../domain/office/users/operations.ts'
import { accountingOperations } from '../domain/paying/accounting/operations.ts'
import { lienWaiverOperations } from '../domain/paying/lien-waivers/operations.ts'
import { orderDocumentOperations } from '../domain/paying/order-documents/operations.ts'
import { paymentRunOperations } from '../domain/paying/payment-runs/operations.ts'
import { paymentOperations } from '../domain/paying/payments/operations.ts'
import { purchaseOrderOperations } from '../domain/paying/purchase-orders/operations.ts'
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
import { portalOperations } from './portal/operations.ts'
import { proposalOperations } from './proposals/operations.ts'
import { platformOperations } from './service/operations.ts'
import { searchOperations } from './service/search/operations.ts'
import { executionOperations } from './skills/execution-operations.ts'
import { skillOperations } from './skills/operations.ts'
import { repeatBatch, repeatExecution } from './skills/replay-execution.ts'

/** Every operation of the contract, in the contract's order. A missing, extra or duplicate handler does not compile. */
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
  paymentOperations,
  accountingOperations,
  lienWaiverOperations,
  paymentRunOperations,
  orderDocumentOperations,
  ledgerOperations,
  taskOperations,
  confirmationOperations,
  milestoneOperations,
  loanOperations,
  calendarOperations,
  timesheetOperations,
  taskTemplateOperations,
  leadOperations,
  saleOperations,
  buyerChangeOperations,
  ownerBillingOperations,
  userOperations,
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

/** The operations whose responses are not simply repeated for a repeated Idempotency-Key. */
export const repeats: RepeatRulesByOperation = {
  ...secretRepeats,
  copyVendorPortalLink: repeatPortalLink,
  copyInvitationLink: repeatPortalLink,
  createKey: repeatKeySecret,
  rotateKey: repeatKeySecret,
  executeSkill: repeatExecution(secretRepeats),
  executeBatch: repeatBatch(repeatExecution(secretRepeats)),
}
