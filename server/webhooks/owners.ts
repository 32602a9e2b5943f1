import { type RawBuilder, sql } from 'kysely'
import type { Permission } from '../../client/contract.gen.ts'
import { permissionOf } from '../events/readable.ts'
import type { Contract } from '../http/contract.ts'
import { permissionsOf, ROLES, type Role } from '../keys/roles.ts'

/**
 * Whom a subscription acts for, and what that one may read at this moment. The statements that match events with
 * subscriptions and that take deliveries into work read it along with the subscription, so that it is as new as they are
 * and costs no statement of its own.
 *
 * A key does what its permissions and the role of its user both allow, as when it calls. An owner is gone when it could
 * not make the subscription any more: a key that is revoked or has expired, a user who is disabled, either one without the
 * permission for it. The service itself always remains.
 */
export interface Owners {
  /** What a statement over subscriptions `w` reads of their owners, where it has the joins too. */
  columns(now: Date): RawBuilder<unknown>
  readonly joins: RawBuilder<unknown>
  /** The condition that the owner of `w` is gone, for a statement with the joins. */
  isGone(now: Date): RawBuilder<unknown>
  /** Whether the owner may read what events of this type show. */
  mayRead(owner: Owner, type: string): boolean
}

/** What was read of the owner of a subscription. */
export interface Owner {
  isOwnerGone: boolean
  ownerType: string
  /** Those of the key; null where the owner is none. */
  ownerPermissions: string[] | null
  /** That of the user, or of the key's user. */
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
