import type { Webhook } from '../../../client/contract.gen.ts'
import type { Call } from '../calls/call.ts'
import { assertNotBrowserToken } from '../keys/browser-token.ts'
import { getRolePermissions, isDelegablePermission } from '../keys/roles.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Throws `permission_denied` unless the caller owns the subscription or has all permissions of an admin. A caller that
 * can set the URL or the secret of a subscription can change settings that the owner's receiver depends on. Apps can
 * change only the subscriptions that they own. Browser tokens cannot change subscriptions (`wrong_caller`).
 */
export function assertCanManageWebhook(call: Call, webhook: Webhook): void {
  assertNotBrowserToken(call)
  if (!canManageWebhook(call, webhook))
    throw new Problem(
      'permission_denied',
      'Cannot change the subscription: it belongs to another user or API key. Ask its owner or an admin.',
    )
}

/** Returns whether the caller owns the subscription or has all permissions of an admin. */
export function canManageWebhook(call: Call, { owner }: Webhook): boolean {
  const { kind, id, via } = call.principal
  const isOwner = owner.type === kind && owner.id === id && owner.via?.grantId === via?.grantId
  const isAdministrator =
    via === undefined &&
    [...getRolePermissions('admin')].filter(isDelegablePermission).every((each) => call.permissions.has(each))
  return isOwner || isAdministrator
}
