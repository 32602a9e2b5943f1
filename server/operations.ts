import { auditOperations } from './audit/operations.ts'
import { awardOperations } from './bidding/award/operations.ts'
import { bidRequestOperations } from './bidding/bid-requests/operations.ts'
import { bidOperations } from './bidding/bids/operations.ts'
import { comparisonOperations } from './bidding/comparison/operations.ts'
import { complianceDocumentOperations } from './bidding/compliance-documents/operations.ts'
import { scopeOperations } from './bidding/scopes/operations.ts'
import { scorecardOperations } from './bidding/scorecards/operations.ts'
import { vendorNotificationOperations } from './bidding/vendor-notifications/operations.ts'
import { vendorOperations } from './bidding/vendors/operations.ts'
import { taskOperations } from './building/tasks/operations.ts'
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
import { purchaseOrderOperations } from './paying/purchase-orders/operations.ts'
import { messageOperations } from './people/messages/operations.ts'
import { platformOperations } from './platform/operations.ts'
import { portalOperations } from './portal/operations.ts'
import { skillOperations } from './skills/operations.ts'
import { executionToldAgain } from './skills/told-again.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { secretToldAgain } from './webhooks/told-again.ts'

/** Every operation of the contract, in the contract's order. One that is missing, one too many or one twice does not compile. */
export const operations: Handlers = together(
  vendorOperations,
  scorecardOperations,
  vendorNotificationOperations,
  complianceDocumentOperations,
  scopeOperations,
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
  taskOperations,
  messageOperations,
  webhookOperations,
  eventOperations,
  auditOperations,
  skillOperations,
  platformOperations,
  portalOperations,
)

const withSecrets: Repeats = { createWebhook: secretToldAgain, rotateWebhookSecret: secretToldAgain }

/** The operations whose answers are not simply told again to a repeat under an Idempotency-Key. */
export const repeats: Repeats = { ...withSecrets, executeSkill: executionToldAgain(withSecrets) }
