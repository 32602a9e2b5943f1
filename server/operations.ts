import { bidRequestOperations } from './bid-requests/operations.ts'
import { bidOperations } from './bids/operations.ts'
import { budgetOperations } from './budgets/operations.ts'
import { communityOperations } from './communities/operations.ts'
import { complianceDocumentOperations } from './compliance-documents/operations.ts'
import { eventOperations } from './events/operations.ts'
import { homeOperations } from './homes/operations.ts'
import type { Handlers } from './http/operation.ts'
import { messageOperations } from './messages/operations.ts'
import { platformOperations } from './platform/operations.ts'
import { purchaseOrderOperations } from './purchase-orders/operations.ts'
import { scopeOperations } from './scopes/operations.ts'
import { skillOperations } from './skills/operations.ts'
import { vendorNotificationOperations } from './vendor-notifications/operations.ts'
import { vendorOperations } from './vendors/operations.ts'
import { webhookOperations } from './webhooks/operations.ts'

/** Every operation of the contract, in the contract's order. One that is missing, or one too many, does not compile. */
export const operations: Handlers = {
  ...vendorOperations,
  ...vendorNotificationOperations,
  ...complianceDocumentOperations,
  ...scopeOperations,
  ...bidRequestOperations,
  ...bidOperations,
  ...communityOperations,
  ...homeOperations,
  ...budgetOperations,
  ...purchaseOrderOperations,
  ...messageOperations,
  ...webhookOperations,
  ...eventOperations,
  ...skillOperations,
  ...platformOperations,
}
