import { type RawBuilder, sql } from 'kysely'
import type { Permission } from '../../client/contract.gen.ts'
import { permissionOf } from '../events/readable.ts'
import type { Contract } from '../http/contract.ts'
import { permissionsOf, ROLES, type Role } from '../keys/roles.ts'

/**
 * Whom a subscription acts for, and what that owner may read right now. The statements that match events and that claim
 * deliveries read this together with the subscription, so it is just as current and needs no extra statement.
 *
 * As in a call, a key may do what both its permissions and its user's role allow. An owner is gone when it could no
 * longer create the subscription: a key that is revoked or expired, a disabled user, or either one without the
 * permission. The service itself is never gone.
 */
export interface Owners {
  /** The owner columns for a statement over subscriptions `w` that includes `joins`. */
  columns(now: Date): RawBuilder<unknown>
  readonly joins: RawBuilder<unknown>
  /** The condition that the owner of `w` is gone, for a statement that includes `joins`. */
  isGone(now: Date): RawBuilder<unknown>
  /** Whether the owner may read what events of this type show. */
  mayRead(owner: Owner, type: string): boolean
}

/** The columns read about a subscription's owner. */
export interface Owner {
  isOwnerGone: boolean
  ownerType: string
  /** The key's permissions; null if the owner is not a key. */
  ownerPermissions: string[] | null
  /** The role of the user, or of the key's user. */
  ownerRole: Role | null
}

const POWER = new Map(ROLES.map((role) => [role, permissionsOf(role)]))

const JOINS = sql`
  left join "apiKeys" k on w."owner"->>'type' = 'key' and k."organizationId" = w."organizationId" and k."id" = w."owner"->>'id'
  left join "users" u on u."organizationId" = w."organizationId"
    and u."id" = case w."owner"->>'type' when 'key' then k."createdByUserId" when 'user' then w."owner"->>'id' end`

export function ownersOf(contract: Contract): Owners {
  const needed = contract.operations.get('createWebhook')?.permissions ?? []
  const roles = ROLES.filter((role) => needed.every((permission) => POWER.get(role)?.has(permission as Permission)))
  const isGone = (now: Date) => sql`coalesce(case w."owner"->>'type'
    when 'system' then false
    when 'key' then k."revokedAt" is not null or k."expiresAt" <= ${now.toISOString()}
      or not k."permissions" @> ${needed}::text[] or u."status" = 'disabled' or u."role" <> all(${roles})
      or k."id" is null
    when 'user' then u."status" = 'disabled' or u."role" <> all(${roles}) or u."id" is null
    else true end, false)`
  return {
    columns: (now) => sql`${isGone(now)} as "isOwnerGone", w."owner"->>'type' as "ownerType",
      k."permissions" as "ownerPermissions", u."role" as "ownerRole"`,
    joins: JOINS,
    isGone,
    mayRead({ isOwnerGone, ownerType, ownerPermissions, ownerRole }, type) {
      if (isOwnerGone) return false
      if (ownerType === 'system') return true
      const permission = permissionOf(contract, type)
      const isWithinRole = ownerRole !== null && POWER.get(ownerRole)?.has(permission) === true
      return isWithinRole && (ownerPermissions === null || ownerPermissions.includes(permission))
    },
  }
}
