import type { HeldPermission } from '../../../client/contract.gen.ts'
import type { DeclaredAction } from './actions.gen.ts'

/**
 * Returns whether a user with these permissions may perform an action. Every action except a simple read runs as a
 * skill.
 */
export function canPerformAction(
  { method, permissions }: DeclaredAction,
  can: (permission: HeldPermission) => boolean,
): boolean {
  return permissions.every((one) => can(one as HeldPermission)) && (method === 'get' || can('skills:write'))
}
