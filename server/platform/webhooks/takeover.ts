import type { Webhook } from '../../../client/contract.gen.ts'
import type { Call } from '../calls/call.ts'
import { assertNotBrowserToken } from '../keys/browser-token.ts'
import { isDelegablePermission, rolePermissions } from '../keys/roles.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Throws `permission_denied` unless the caller owns the subscription or has all permissions of an admin. Whoever
 * chooses where a subscription sends, or what signs it, can replace what the owner's receiver relies on. Apps can
 * change only the subscriptions that they own, and browser tokens none (`wrong_caller`).
 */
export function assertCanManage(call: Call, webhook: Webhook): void {
  assertNotBrowserToken(call)
  if (!canManage(call, webhook))
    throw new Problem(
      'permission_denied',
      'Cannot change the subscription: it belongs to another user or API key. Ask its owner or an admin.',
    )
}

/** Returns whether the caller owns the subscription or has all permissions of an admin. */
export function canManage(call: Call, { owner }: Webhook): boolean {
  const { kind, id, via } = call.principal
  const isOwner = owner.type === kind && owner.id === id && owner.via?.grantId === via?.grantId
  const isAdministrator =
    via === undefined &&
    [...rolePermissions('admin')].filter(isDelegablePermission).every((each) => call.permissions.has(each))
  return isOwner || isAdministrator
}
