import type { Principal, Services } from '../../platform/calls/call.ts'
import { findOrganization, findUserPrincipal } from '../../platform/keys/principals.ts'
import { getRolePermissions, type Role } from '../../platform/keys/roles.ts'
import type { StoredImport } from './queries.ts'

/**
 * Returns the user or API key that started a run, with the permissions that it had at the start and still has. A
 * deactivated user or a revoked key has no permissions, so the run stops with an error in every row.
 */
export async function findRunStarter(
  services: Services,
  organizationId: string,
  { startedBy, permissions }: Pick<StoredImport, 'startedBy' | 'permissions'>,
): Promise<Principal> {
  const db = services.database.statements
  if (startedBy?.id == null) throw new Error('Expected a run to be started by a user or a key.')
  if (startedBy.type === 'user') {
    const user = await findUserPrincipal(db, organizationId, startedBy.id)
    const { via } = startedBy
    return { ...user, permissions: intersect(user.permissions, permissions), ...(via !== undefined && { via }) }
  }
  const key = await db
    .selectFrom('apiKeys as k')
    .innerJoin('users as u', (join) =>
      join.onRef('u.organizationId', '=', 'k.organizationId').onRef('u.id', '=', 'k.createdByUserId'),
    )
    .where('k.organizationId', '=', organizationId)
    .where('k.id', '=', startedBy.id)
    .select(['k.permissions', 'k.revokedAt', 'k.expiresAt', 'u.role', 'u.status', 'u.poApprovalLimit'])
    .executeTakeFirst()
  const isEnded =
    key === undefined ||
    key.revokedAt !== null ||
    key.status === 'disabled' ||
    (key.expiresAt !== null && Date.parse(key.expiresAt) <= services.clock.nowMs())
  const power: ReadonlySet<string> = isEnded
    ? new Set()
    : intersect(getRolePermissions(key.role as Role), key.permissions)
  return {
    kind: 'key',
    id: startedBy.id,
    organization: await findOrganization(db, organizationId),
    permissions: intersect(power, permissions),
    // Null means that there is no limit.
    poApprovalLimit: key === undefined ? 0 : key.poApprovalLimit,
    subjectId: null,
    counters: { minute: `minute:${startedBy.id}`, kind: 'key', day: null },
  }
}

function intersect(set: ReadonlySet<string>, others: readonly string[]): ReadonlySet<string> {
  return new Set(others.filter((permission) => set.has(permission)))
}
