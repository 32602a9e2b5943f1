import type { PasskeyAdd, PasskeySignIn } from '../../../../client/contract.gen.ts'
import type { Db } from '../../../platform/database/database.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { type Known, spendChallenge } from './queries.ts'

/** The signatures that are understood, by their numbers with COSE: Ed25519, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257] as const

/** What a passkey is made for: the origin of the service's pages and the host of its public address. */
export function placeOf(publicUrl: string): { origin: string; rpId: string } {
  const { origin, hostname } = new URL(publicUrl)
  return { origin, rpId: hostname }
}

interface Around {
  db: Db
  publicUrl: string
  now: Date
}

/** What the browser made of a challenge for this identity, checked. Throws `passkey_refused`. */
export async function checkCreated(
  { db, publicUrl, now }: Around,
  identityId: string,
  { credentialId, clientDataJSON, attestationObject, transports }: PasskeyAdd & { transports: string[] },
): Promise<Omit<Known, 'id' | 'identityId'> & { isSynced: boolean }> {
  const expectedChallenge = await spend({ db, now }, identityId, clientDataJSON)
  const { origin, rpId } = placeOf(publicUrl)
  // Loaded when somebody first has to do with a passkey: a service that only programs use starts without it.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo: made } = await verifyRegistrationResponse({
    response: {
      ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON, attestationObject },
    },
    ...{ expectedChallenge, expectedOrigin: origin, expectedRPID: rpId },
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(refuse)
  if (made === undefined) throw refused('The response of the device does not match the challenge. Try again.')
  const { id, publicKey, counter } = made.credential
  return {
    ...{ credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports },
    isSynced: made.credentialBackedUp,
  }
}

/** What a visitor's device signed, checked against the passkey that it names. Throws `passkey_refused`. */
export async function checkSigned(
  { db, publicUrl, now }: Around,
  { credentialId, clientDataJSON, authenticatorData, signature, userHandle = null }: PasskeySignIn,
  find: (credentialId: string) => Promise<(Known & { email: string }) | null>,
): Promise<{ passkey: Known & { email: string }; counter: number; isSynced: boolean }> {
  const expectedChallenge = await spend({ db, now }, null, clientDataJSON)
  const passkey = await find(credentialId)
  if (passkey === null) throw refused('Unknown passkey. Sign in another way.')
  if (userHandle !== null && userHandle !== handleOf(passkey.identityId))
    throw refused('The passkey belongs to another user. Sign in another way.')
  const { origin, rpId } = placeOf(publicUrl)
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: {
      ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature },
    },
    ...{ expectedChallenge, expectedOrigin: origin, expectedRPID: rpId },
    credential: {
      id: passkey.credentialId,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  }).catch(refuse)
  if (!verified) throw refused('The signature of the passkey is not valid. Try again.')
  return { passkey, counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp }
}

/** How a device names the identity that it keeps a passkey for; it tells nothing about anybody. */
export function handleOf(identityId: string): string {
  return Buffer.from(identityId).toString('base64url')
}

export function refused(detail: string) {
  return problem('passkey_refused', detail)
}

/** The library's reasons: another site, no user verification, a counter that went back, or bytes that are none of it. */
function refuse(): never {
  throw refused('The response of the device does not match the request, or its signature is not valid. Try again.')
}

/** The challenge that was answered, which is spent by it. */
async function spend(
  { db, now }: Pick<Around, 'db' | 'now'>,
  identityId: string | null,
  clientDataJSON: string,
): Promise<string> {
  const challenge = challengeIn(clientDataJSON)
  if (challenge === null || !(await spendChallenge(db, challenge, identityId, now)))
    throw refused('The challenge has expired or was already used. Try again.')
  return challenge
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}
