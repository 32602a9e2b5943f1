import type { AdminPermission, Permission } from '../../../client/contract.gen.ts'
import { administration, type Holders, permissions, roles } from './permissions.gen.ts'

/** The roles of users. The role of a user limits the permissions of all keys that the user creates. */
export const ROLES = roles
export type Role = (typeof ROLES)[number]

/** Returns the permissions of the role that keys can have. */
export function getRolePermissions(role: Role): ReadonlySet<Permission> {
  return new Set(permissionsHeldBy(role, permissions) as Permission[])
}

/**
 * Returns whether a permission can be delegated to a program that acts under supervision or for a user. With any other
 * permission, the program could act in the name of another user. Therefore, propose-only keys, browser tokens,
 * connected apps, and MCP clients never have such permissions.
 */
export function isDelegablePermission(permission: string): boolean {
  return !NOT_DELEGABLE.includes(permission.split(':')[0] ?? '')
}

const NOT_DELEGABLE = getEntries(permissions).flatMap(([entity, { isDelegable = true }]) =>
  isDelegable ? [] : [entity],
)

export const ALL_PERMISSIONS: readonly Permission[] = [...getRolePermissions('owner')]

/** Returns the permissions of the role that keys can never have, such as those for administration. */
export function getAdminPermissions(role: Role): AdminPermission[] {
  return permissionsHeldBy(role, administration) as AdminPermission[]
}

function permissionsHeldBy(role: Role, entities: Readonly<Record<string, Holders>>): string[] {
  return getEntries(entities).flatMap(([entity, { read, write }]) => [
    ...(read.includes(role) ? [`${entity}:read`] : []),
    ...(write.includes(role) ? [`${entity}:write`] : []),
  ])
}

function getEntries(entities: Readonly<Record<string, Holders>>): [string, Holders][] {
  return Object.entries(entities)
}
