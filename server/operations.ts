import { keyOperations } from './administration/keys/operations.ts'
import { keyToldAgain } from './administration/keys/told-again.ts'
import { oauthGrantOperations } from './administration/oauth-grants/operations.ts'
import { organizationOperations } from './administration/organization/operations.ts'
import { passkeyOperations } from './administration/passkeys/operations.ts'
import { peopleOperations } from './administration/people/operations.ts'
import { sandboxOperations } from './administration/sandbox/operations.ts'
import { signInOperations } from './administration/sign-in/operations.ts'
import { keyUsageOperations } from './administration/usage/operations.ts'
import { attachmentOperations } from './attachments/operations.ts'
import { auditOperations } from './audit/operations.ts'
import { awardOperations } from './bidding/award/operations.ts'
import { bidRequestOperations } from './bidding/bid-requests/operations.ts'
import { bidOperations } from './bidding/bids/operations.ts'
import { comparisonOperations } from './bidding/comparison/operations.ts'
import { complianceDocumentOperations } from './bidding/compliance-documents/operations.ts'
import { portalLinkOperations } from './bidding/portal-links/operations.ts'
import { linkToldAgain } from './bidding/portal-links/told-again.ts'
import { scopeOperations } from './bidding/scopes/operations.ts'
import { scorecardOperations } from './bidding/scorecards/operations.ts'
import { vendorNotificationOperations } from './bidding/vendor-notifications/operations.ts'
import { vendorOperations } from './bidding/vendors/operations.ts'
import { calendarOperations } from './building/calendars/operations.ts'
import { milestoneOperations } from './building/milestones/operations.ts'
import { taskTemplateOperations } from './building/task-templates/operations.ts'
import { confirmationOperations } from './building/tasks/confirm.ts'
import { taskOperations } from './building/tasks/operations.ts'
import { timesheetOperations } from './building/timesheets/operations.ts'
import { budgetTransferOperations } from './costs/budget-transfers/operations.ts'
import { budgetOperations } from './costs/budgets/operations.ts'
import { contractOperations } from './costs/contracts/operations.ts'
import { costCodeOperations } from './costs/cost-codes/operations.ts'
import { optionOperations } from './costs/options/operations.ts'
import { partOperations } from './costs/parts/operations.ts'
import { priceOperations } from './costs/prices/operations.ts'
import { selectionOperations } from './costs/selections/operations.ts'
import { takeoffOperations } from './costs/takeoffs/operations.ts'
import { eventOperations } from './events/operations.ts'
import type { Handlers } from './http/operation.ts'
import { together } from './http/operation.ts'
import type { Repeats } from './http/repeat.ts'
import { communityOperations } from './land/communities/operations.ts'
import { homeOperations } from './land/homes/operations.ts'
import { planOperations } from './land/plans/operations.ts'
import { accountingOperations } from './paying/accounting/operations.ts'
import { lienWaiverOperations } from './paying/lien-waivers/operations.ts'
import { orderDocumentOperations } from './paying/order-documents/operations.ts'
import { paymentRunOperations } from './paying/payment-runs/operations.ts'
import { paymentOperations } from './paying/payments/operations.ts'
import { purchaseOrderOperations } from './paying/purchase-orders/operations.ts'
import { mailOperations } from './people/mail/operations.ts'
import { messageTemplateOperations } from './people/message-templates/operations.ts'
import { messageOperations } from './people/messages/operations.ts'
import { userOperations } from './people/users/operations.ts'
import { platformOperations } from './platform/operations.ts'
import { searchOperations } from './platform/search/operations.ts'
import { portalOperations } from './portal/operations.ts'
import { proposalOperations } from './proposals/operations.ts'
import { leadOperations } from './selling/leads/operations.ts'
import { saleOperations } from './selling/sales/operations.ts'
import { executionOperations } from './skills/execution-operations.ts'
import { skillOperations } from './skills/operations.ts'
import { batchToldAgain, executionToldAgain } from './skills/told-again.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { secretToldAgain } from './webhooks/told-again.ts'

/** Every operation of the contract, in the contract's order. One that is missing, one too many or one twice does not compile. */
export const operations: Handlers = together(
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
  taskOperations,
  confirmationOperations,
  milestoneOperations,
  calendarOperations,
  timesheetOperations,
  taskTemplateOperations,
  leadOperations,
  saleOperations,
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

const withSecrets: Repeats = { createWebhook: secretToldAgain, rotateWebhookSecret: secretToldAgain }

/** The operations whose answers are not simply told again to a repeat under an Idempotency-Key. */
export const repeats: Repeats = {
  ...withSecrets,
  copyVendorPortalLink: linkToldAgain,
  copyInvitationLink: linkToldAgain,
  createKey: keyToldAgain,
  rotateKey: keyToldAgain,
  executeSkill: executionToldAgain(withSecrets),
  executeBatch: batchToldAgain(executionToldAgain(withSecrets)),
}
