import { type RawBuilder, sql } from 'kysely'
import type { Permission } from '../../../client/contract.gen.ts'
import type { Contract } from '../calls/contract.ts'
import { getEventPermission } from '../events/readable-events.ts'
import { getRolePermissions, ROLES, type Role } from '../keys/roles.ts'

/**
 * Determines the owner of a subscription, and the permissions that the owner currently has. The statements that match
 * events and claim deliveries read the owner together with the subscription. The data is therefore equally current and
 * needs no extra statement.
 *
 * As in a call, a key has only the permissions that both the key and its user's role include. A subscription created
 * with a narrowed access token is limited to the permissions of that token. An owner counts as gone if it can no longer
 * create the subscription. These are a revoked or expired key, a deactivated user, an app that its user has
 * disconnected, and any owner without the permission. If the service itself is the owner, the owner is never gone.
 */
export interface Owners {
  /** Returns the SQL of the owner columns, for a statement over subscriptions `w` that includes `joins`. */
  columns(now: Date): RawBuilder<unknown>
  readonly joins: RawBuilder<unknown>
  /** Returns the SQL condition that the owner of `w` is gone, for a statement that includes `joins`. */
  isGone(now: Date): RawBuilder<unknown>
  /** Returns whether the owner may read events of this type that also require these permissions. */
  mayRead(owner: Owner, type: string, also: readonly string[] | null): boolean
}

/** The columns that contain the owner of a subscription. */
export interface Owner {
  isOwnerGone: boolean
  ownerType: string
  /** The permissions of the key, or of the app that acts for a user; null for a user who acts directly. */
  ownerPermissions: string[] | null
  /**
   * The permissions of the narrower token that created or took over the subscription; null if there was no such token.
   */
  tokenPermissions: string[] | null
  /** The role of the user, or of the key's user. */
  ownerRole: Role | null
}

const PERMISSIONS_BY_ROLE = new Map(ROLES.map((role) => [role, getRolePermissions(role)]))

const OWNER_JOINS = sql`
  left join "apiKeys" k on w."owner"->>'type' = 'key' and k."organizationId" = w."organizationId" and k."id" = w."owner"->>'id'
  left join "oauthGrants" g on g."organizationId" = w."organizationId" and g."id" = w."owner"->'via'->>'grantId'
  left join "users" u on u."organizationId" = w."organizationId"
    and u."id" = case w."owner"->>'type' when 'key' then k."createdByUserId" when 'user' then w."owner"->>'id' end`

export function createWebhookOwners(contract: Contract): Owners {
  const needed = contract.operations.get('createWebhook')?.permissions ?? []
  const roles = ROLES.filter((role) =>
    needed.every((permission) => PERMISSIONS_BY_ROLE.get(role)?.has(permission as Permission)),
  )
  const isGone = (now: Date) => sql`coalesce(case w."owner"->>'type'
    when 'system' then false
    when 'key' then k."revokedAt" is not null or k."expiresAt" <= ${now.toISOString()}
      or not k."permissions" @> ${needed}::text[] or u."status" = 'disabled' or u."role" <> all(${roles})
      or k."id" is null
    when 'user' then u."status" = 'disabled' or u."role" <> all(${roles}) or u."id" is null
      or w."owner"->'via' is not null and (g."id" is null or g."revokedAt" is not null
        or g."expiresAt" <= ${now.toISOString()} or not g."permissions" @> ${needed}::text[])
    else true end, false)`
  return {
    columns: (now) => sql`${isGone(now)} as "isOwnerGone", w."owner"->>'type' as "ownerType",
      coalesce(k."permissions", g."permissions") as "ownerPermissions", w."tokenPermissions", u."role" as "ownerRole"`,
    joins: OWNER_JOINS,
    isGone,
    mayRead({ isOwnerGone, ownerType, ownerPermissions, tokenPermissions, ownerRole }, type, also) {
      if (isOwnerGone) return false
      if (ownerType === 'system') return true
      const power = ownerRole === null ? undefined : PERMISSIONS_BY_ROLE.get(ownerRole)
      const has = (permission: string) =>
        power?.has(permission as Permission) === true &&
        [ownerPermissions, tokenPermissions].every((bound) => bound === null || bound.includes(permission))
      return has(getEventPermission(contract, type)) && (also === null || also.every(has))
    },
  }
}
