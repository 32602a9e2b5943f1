import { noteChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { resource } from '../../../platform/resources/resource.ts'

export const { list, find, findAll, lock, insert, update } = resource({
  schema: 'OauthGrant',
})

/** Ends a grant, and all that stands for it; one that has ended stays as it is. */
export async function revoke(call: WriteCall, id: string): Promise<void> {
  const before = await lock(call, id)
  if (before.revokedAt !== null) return
  await update(call, before, { revokedAt: call.now.toISOString() })
  noteChange(call, id, 'revoked')
  await call.db
    .deleteFrom('oauthTokens')
    .where('organizationId', '=', call.organizationId)
    .where('grantId', '=', id)
    .execute()
}

/** What a user let one app do and has not taken back: one grant, or none. */
export async function standing({ db, organizationId }: Tenant, userId: string, clientId: string) {
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
