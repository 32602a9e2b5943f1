import { typeid } from 'typeid-js'
import { type Call, noteChange } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { requireFreshSignIn } from '../../../platform/keys/fresh-sign-in.ts'
import { signedIn } from '../../../platform/keys/principals.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import * as users from '../../office/users/queries.ts'
import { letIn } from '../sign-in/session.ts'
import { ALGORITHMS, checkCreated, checkSigned, handleOf, placeOf, refused } from './ceremony.ts'
import * as passkeys from './queries.ts'

export const passkeyOperations = {
  async createPasskeyChallenge(_input, call) {
    const { db, publicUrl, now } = around(call)
    const challenge = await passkeys.newChallenge(db, null, now)
    const { rpId } = placeOf(publicUrl)
    return { status: 200, body: { challenge, rpId, timeout: passkeys.CHALLENGE_LIFE_MS } }
  },

  async signInByPasskey({ body }, call) {
    const { identity } = call.surroundings
    const { db, now } = around(call)
    const { passkey, ...use } = await checkSigned(around(call), body, (id) => passkeys.findByCredential(db, id))
    if (!(await passkeys.noteUse(db, passkey.id, { ...use, at: now })))
      throw refused('The passkey was used twice at the same time. Try again.')
    const opened = await identity.admit(passkey.email, { address: call.address, device: body.device ?? null })
    const answer = opened === null ? null : await letIn(call, opened)
    if (answer === null) throw refused('No active user has the email address of this passkey.')
    return answer
  },

  async listPasskeys({ query }, call) {
    const { identityId } = signedIn(call).session
    return { status: 200, body: await passkeys.listOf(around(call).db, identityId, query) }
  },

  async createPasskeyRegistrationOptions(_input, call) {
    requireFreshSignIn(call)
    const { session, id } = signedIn(call)
    const { db, publicUrl, now } = around(call)
    const { name } = await users.find(call, id)
    const challenge = await passkeys.newChallenge(db, session.identityId, now)
    return {
      status: 200,
      body: {
        challenge,
        rpId: placeOf(publicUrl).rpId,
        userHandle: handleOf(session.identityId),
        userName: session.email,
        userDisplayName: name,
        algorithms: [...ALGORITHMS],
        timeout: passkeys.CHALLENGE_LIFE_MS,
        known: await passkeys.credentialsOf(db, session.identityId),
      },
    }
  },

  async addPasskey({ body }, call) {
    requireFreshSignIn(call)
    const { session, id: userId } = signedIn(call)
    const { db, now } = around(call)
    const { identityId } = session
    const made = await checkCreated(around(call), identityId, body)
    if ((await passkeys.credentialsOf(db, identityId)).length >= passkeys.MOST)
      throw conflict('limit_reached', `You already have ${passkeys.MOST} passkeys, the maximum. Remove one first.`)
    const id = typeid('psk').toString()
    const added = await passkeys.insert(db, { ...made, id, identityId, name: body.name, createdAt: now })
    if (added === null) throw refused('The passkey is already registered.')
    await call.write(async (call) => noteChange(call, userId, 'passkey_added'))
    return { status: 200, body: added }
  },

  async removePasskey({ path }, call) {
    requireFreshSignIn(call)
    const { session, id: userId } = signedIn(call)
    if (!(await passkeys.remove(around(call).db, session.identityId, path.passkeyId))) throw notFound()
    await call.write(async (call) => noteChange(call, userId, 'passkey_removed'))
    return { status: 204 }
  },

  async renamePasskey({ path, body }, call) {
    const { identityId } = signedIn(call).session
    const renamed = await passkeys.rename(around(call).db, identityId, path.passkeyId, body.name)
    if (renamed === null) throw notFound()
    return { status: 200, body: renamed }
  },
} satisfies Partial<Handlers>

/** Passkeys belong to people rather than organizations, so their queries run outside tenant isolation. */
function around({ surroundings, now }: Call) {
  return { db: surroundings.database.statements, publicUrl: surroundings.config.publicUrl, now }
}
