import type { PasskeyAdd, PasskeySignIn } from '../../../../client/contract.gen.ts'
import type { Db } from '../../../platform/database/database.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { consumeChallenge, type StoredPasskey } from './queries.ts'

/** The accepted signature algorithms by COSE number: Ed25519, ES256, and RS256. */
export const ALGORITHMS = [-8, -7, -257] as const

/** Returns the origin and the relying party ID of passkeys, which are derived from the public URL of the service. */
export function getRelyingParty(publicUrl: string): { origin: string; rpId: string } {
  const { origin, hostname } = new URL(publicUrl)
  return { origin, rpId: hostname }
}

interface CeremonyContext {
  db: Db
  publicUrl: string
  now: Date
}

/**
 * Verifies a browser's response to a challenge for this identity. Throws `passkey_refused` if the verification fails.
 */
export async function verifyRegistration(
  { db, publicUrl, now }: CeremonyContext,
  identityId: string,
  { credentialId, clientDataJSON, attestationObject, transports }: PasskeyAdd & { transports: string[] },
): Promise<Omit<StoredPasskey, 'id' | 'identityId'> & { isSynced: boolean }> {
  const expectedChallenge = await spendChallengeOf({ db, now }, identityId, clientDataJSON)
  const { origin, rpId } = getRelyingParty(publicUrl)
  // Load the library when it is first used, so that a service without passkeys starts faster.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { registrationInfo: created } = await verifyRegistrationResponse({
    response: {
      ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON, attestationObject },
    },
    ...{ expectedChallenge, expectedOrigin: origin, expectedRPID: rpId },
    supportedAlgorithmIDs: [...ALGORITHMS],
  }).catch(throwRefused)
  if (created === undefined)
    throw createPasskeyProblem('The response from the device does not match the challenge. Try again.')
  const { id, publicKey, counter } = created.credential
  return {
    ...{ credentialId: id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports },
    isSynced: created.credentialBackedUp,
  }
}

/**
 * Verifies the signature of a visitor who signs in with a passkey. Throws `passkey_refused` if the verification fails.
 */
export async function verifyAssertion(
  { db, publicUrl, now }: CeremonyContext,
  { credentialId, clientDataJSON, authenticatorData, signature, userHandle = null }: PasskeySignIn,
  find: (credentialId: string) => Promise<(StoredPasskey & { email: string }) | null>,
): Promise<{ passkey: StoredPasskey & { email: string }; counter: number; isSynced: boolean }> {
  const expectedChallenge = await spendChallengeOf({ db, now }, null, clientDataJSON)
  const passkey = await find(credentialId)
  if (passkey === null) throw createPasskeyProblem('Unknown passkey. Sign in another way.')
  if (userHandle !== null && userHandle !== toUserHandle(passkey.identityId))
    throw createPasskeyProblem('The passkey belongs to another user. Sign in another way.')
  const { origin, rpId } = getRelyingParty(publicUrl)
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
  }).catch(throwRefused)
  if (!verified) throw createPasskeyProblem('The signature of the passkey is not valid. Try again.')
  return { passkey, counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp }
}

/** Returns the user handle with which a device stores the passkey. The handle contains no data about the user. */
export function toUserHandle(identityId: string): string {
  return Buffer.from(identityId).toString('base64url')
}

export function createPasskeyProblem(detail: string) {
  return problem('passkey_refused', detail)
}

/**
 * Throws the same problem for all errors of the library, such as another site, a missing user verification, a decreased
 * counter, or malformed bytes.
 */
function throwRefused(): never {
  throw createPasskeyProblem(
    'The response from the device does not match the request, or its signature is not valid. Try again.',
  )
}

/** Marks the challenge as used. Throws if there is no such challenge. */
async function spendChallengeOf(
  { db, now }: Pick<CeremonyContext, 'db' | 'now'>,
  identityId: string | null,
  clientDataJSON: string,
): Promise<string> {
  const challenge = readChallenge(clientDataJSON)
  if (challenge === null || !(await consumeChallenge(db, challenge, identityId, now)))
    throw createPasskeyProblem('The challenge has expired or was already used. Try again.')
  return challenge
}

function readChallenge(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}
