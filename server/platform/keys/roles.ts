import type { AdminPermission, Permission } from '../../../client/contract.gen.ts'
import { administration, type Holders, permissions, roles } from './permissions.gen.ts'

/** The roles of a builder's users. A user's role limits every key they create. */
export const ROLES = roles
export type Role = (typeof ROLES)[number]

/** Returns the permissions of the role that keys can have too. */
export function rolePermissions(role: Role): ReadonlySet<Permission> {
  return new Set(permissionsHeldBy(role, permissions) as Permission[])
}

/**
 * Returns whether a permission may be delegated to a program that acts under supervision or for another person. With
 * the others the holder could act in another's name, so propose-only keys, browser tokens, connected apps, and MCP
 * clients never have them.
 */
export function isDelegablePermission(permission: string): boolean {
  return !NOT_DELEGABLE.includes(permission.split(':')[0] ?? '')
}

const NOT_DELEGABLE = getEntries(permissions).flatMap(([entity, { isDelegable = true }]) =>
  isDelegable ? [] : [entity],
)

export const ALL_PERMISSIONS: readonly Permission[] = [...rolePermissions('owner')]

/** Returns the permissions of the role that no key can have. */
export function adminPermissionsOf(role: Role): AdminPermission[] {
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
