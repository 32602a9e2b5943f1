import { typeid } from 'typeid-js'
import { type Call, recordChange } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../../platform/keys/fresh-sign-in.ts'
import { requireSignedIn } from '../../../platform/keys/principals.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import * as users from '../../office/users/queries.ts'
import { signIn } from '../sign-in/session.ts'
import {
  ALGORITHMS,
  createPasskeyProblem,
  getRelyingParty,
  toUserHandle,
  verifyAssertion,
  verifyRegistration,
} from './passkey-ceremony.ts'
import * as passkeys from './queries.ts'

export const passkeyOperations = {
  async createPasskeyChallenge(_input, call) {
    const { db, publicUrl, now } = ceremonyContextOf(call)
    const challenge = await passkeys.createChallenge(db, null, now)
    const { rpId } = getRelyingParty(publicUrl)
    return { status: 200, body: { challenge, rpId, timeout: passkeys.CHALLENGE_LIFETIME_MS } }
  },

  async signInByPasskey({ body }, call) {
    const { identity } = call.services
    const { db, now } = ceremonyContextOf(call)
    const { passkey, ...use } = await verifyAssertion(ceremonyContextOf(call), body, (id) =>
      passkeys.findPasskeyByCredential(db, id),
    )
    if (!(await passkeys.recordPasskeyUse(db, passkey.id, { ...use, at: now })))
      throw createPasskeyProblem('The passkey was used twice at the same time. Try again.')
    const opened = await identity.admit(passkey.email, { address: call.address, device: body.device ?? null })
    const answer = opened === null ? null : await signIn(call, opened)
    if (answer === null)
      throw createPasskeyProblem('No active user has the email address of this passkey. Contact an owner or admin.')
    return answer
  },

  async listPasskeys({ query }, call) {
    const { identityId } = requireSignedIn(call).session
    return { status: 200, body: await passkeys.listPasskeys(ceremonyContextOf(call).db, identityId, query) }
  },

  async createPasskeyRegistrationOptions(_input, call) {
    requireFreshSignIn(call)
    const { session, id } = requireSignedIn(call)
    const { db, publicUrl, now } = ceremonyContextOf(call)
    const { name } = await users.find(call, id)
    const challenge = await passkeys.createChallenge(db, session.identityId, now)
    return {
      status: 200,
      body: {
        challenge,
        rpId: getRelyingParty(publicUrl).rpId,
        userHandle: toUserHandle(session.identityId),
        userName: session.email,
        userDisplayName: name,
        algorithms: [...ALGORITHMS],
        timeout: passkeys.CHALLENGE_LIFETIME_MS,
        known: await passkeys.listCredentials(db, session.identityId),
      },
    }
  },

  async addPasskey({ body }, call) {
    requireFreshSignIn(call)
    const { session, id: userId } = requireSignedIn(call)
    const { db, now } = ceremonyContextOf(call)
    const { identityId } = session
    const created = await verifyRegistration(ceremonyContextOf(call), identityId, body)
    if ((await passkeys.listCredentials(db, identityId)).length >= passkeys.MAX_PASSKEYS)
      throw conflict(
        'limit_reached',
        `You already have ${passkeys.MAX_PASSKEYS} passkeys, the maximum. Remove one first.`,
      )
    const id = typeid('psk').toString()
    const added = await passkeys.insertPasskey(db, { ...created, id, identityId, name: body.name, createdAt: now })
    if (added === null) throw createPasskeyProblem('Cannot add the passkey: it is already registered.')
    await call.write(async (call) => recordChange(call, userId, 'passkey_added'))
    return { status: 200, body: added }
  },

  async removePasskey({ path }, call) {
    requireFreshSignIn(call)
    const { session, id: userId } = requireSignedIn(call)
    if (!(await passkeys.deletePasskey(ceremonyContextOf(call).db, session.identityId, path.passkeyId)))
      throw notFound()
    await call.write(async (call) => recordChange(call, userId, 'passkey_removed'))
    return { status: 204 }
  },

  async renamePasskey({ path, body }, call) {
    const { identityId } = requireSignedIn(call).session
    const renamed = await passkeys.renamePasskey(ceremonyContextOf(call).db, identityId, path.passkeyId, body.name)
    if (renamed === null) throw notFound()
    return { status: 200, body: renamed }
  },
} satisfies Partial<Handlers>

/** Passkeys belong to people instead of organizations, so their queries are not subject to tenant isolation. */
function ceremonyContextOf({ services, now }: Call) {
  return { db: services.database.statements, publicUrl: services.config.publicUrl, now }
}
