import { type RawBuilder, sql } from 'kysely'
import type { Permission } from '../../../client/contract.gen.ts'
import type { Contract } from '../calls/contract.ts'
import { getEventPermission } from '../events/readable-events.ts'
import { getRolePermissions, ROLES, type Role } from '../keys/roles.ts'

/**
 * Determines the owner of a subscription and the owner's current permissions. The statements that match events and
 * claim deliveries also read the owner, so the data is current and needs no additional statement.
 *
 * As in a call, a key has only the permissions that are also in the role of its user. A subscription that was created
 * with a narrowed access token is limited to the permissions of that token. An owner counts as gone if it could no
 * longer create the subscription: if the key is revoked or expired, if the user is deactivated, if the user has
 * disconnected the app, or if the owner no longer has the permission. If the owner is the service itself, it is never
 * gone.
 */
export interface Owners {
  /**
   * Returns SQL for the columns about the owner, for a statement that selects from subscriptions `w` and includes
   * `joins`.
   */
  columns(now: Date): RawBuilder<unknown>
  readonly joins: RawBuilder<unknown>
  /** Returns the SQL condition that the owner of `w` is gone, for a statement that includes `joins`. */
  isGone(now: Date): RawBuilder<unknown>
  /** Returns whether the owner may read events of this type for which these permissions are also required. */
  mayRead(owner: Owner, type: string, also: readonly string[] | null): boolean
}

/** The columns about the owner of a subscription. */
export interface Owner {
  isOwnerGone: boolean
  ownerType: string
  /** The permissions of the key, or of the app that acts for a user; null if a user acts directly. */
  ownerPermissions: string[] | null
  /**
   * The permissions of the token that created or took over the subscription, if it had fewer permissions than the
   * owner; otherwise, null.
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
