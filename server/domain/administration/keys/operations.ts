import { recordChange } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../../platform/keys/fresh-sign-in.ts'
import { DEFAULT_LIFETIME_MS, issueKeySecret, replaceKeySecret } from '../../../platform/keys/keys.ts'
import { requireSignedIn } from '../../../platform/keys/principals.ts'
import { assertCanManageKey, assertKeyActive, assertKeyAllowed, assertKeyNotRevoked } from './key-rules.ts'
import * as keys from './queries.ts'

const DAY_MS = 86_400_000

export const keyOperations = {
  async listKeys({ query }, call) {
    return { status: 200, body: await keys.list(call, query) }
  },

  async createKey({ body }, call) {
    requireFreshSignIn(call)
    assertKeyAllowed(call, body)
    const { expiresAt = new Date(call.now.getTime() + DEFAULT_LIFETIME_MS).toISOString(), ...rest } = body
    const createdByUserId = requireSignedIn(call).id
    const created = await call.write(async (call) => {
      const { id: keyId } = await keys.insert(call, { ...rest, expiresAt, createdByUserId })
      const secret = await issueKeySecret(call.db, { organizationId: call.organizationId, keyId, now: call.now })
      return { ...(await keys.find(call, keyId)), secret }
    })
    return { status: 201, body: created }
  },

  async getKey({ path }, call) {
    return { status: 200, body: await keys.find(call, path.keyId) }
  },

  async updateKey({ path, body, ifMatch }, call) {
    const isExtended = body.expiresAt !== undefined || body.allowedAddresses !== undefined
    if (isExtended) requireFreshSignIn(call)
    const key = await call.write(async (call) => {
      const before = await keys.lock(call, path.keyId)
      assertKeyNotRevoked(before)
      if (isExtended) await assertCanManageKey(call, before)
      assertKeyAllowed(call, body)
      return keys.update(call, before, body, ifMatch)
    })
    return { status: 200, body: key }
  },

  async rotateKey({ path, body }, call) {
    requireFreshSignIn(call)
    const rotated = await call.write(async (call) => {
      const before = await keys.lock(call, path.keyId)
      assertKeyActive(before, call.now)
      await assertCanManageKey(call, before)
      const of = { organizationId: call.organizationId, keyId: before.id, now: call.now }
      const { secret } = await replaceKeySecret(call.db, of, body.overlapDays * DAY_MS)
      await keys.bumpVersion(call, before.id)
      recordChange(call, before.id, 'rotated')
      return { ...(await keys.find(call, before.id)), secret }
    })
    return { status: 200, body: rotated }
  },

  async revokeKey({ path }, call) {
    const key = await call.write(async (call) => {
      const before = await keys.lock(call, path.keyId)
      if (before.revokedAt !== null) return before
      await keys.update(call, before, { revokedAt: call.now.toISOString() })
      recordChange(call, before.id, 'revoked')
      // A revoked key no longer lists its secrets, so read the key again.
      return keys.find(call, before.id)
    })
    return { status: 200, body: key }
  },
} satisfies Partial<Handlers>
