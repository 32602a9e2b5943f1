import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = defineResource({
  schema: 'OauthGrant',
})

/** Revokes a grant and all of its tokens. Does nothing if the grant is already revoked. */
export async function revokeGrant(call: WriteCall, id: string): Promise<void> {
  const before = await lock(call, id)
  if (before.revokedAt !== null) return
  await update(call, before, { revokedAt: call.now.toISOString() })
  recordChange(call, id, 'revoked')
  await call.db
    .deleteFrom('oauthTokens')
    .where('organizationId', '=', call.organizationId)
    .where('grantId', '=', id)
    .execute()
}

/** Returns the active grant of a user for an app; undefined if there is none. */
export async function findActiveGrant({ db, organizationId }: Tenant, userId: string, clientId: string) {
  return db
    .selectFrom('oauthGrants')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('userId', '=', userId)
    .where('clientId', '=', clientId)
    .where('revokedAt', 'is', null)
    .orderBy('id')
    .execute()
}
