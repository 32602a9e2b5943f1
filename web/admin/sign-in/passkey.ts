import type { PasskeyAdd, PasskeyChallenge, PasskeyOptions, PasskeySignIn } from '../../../client/contract.gen.ts'

/**
 * Whether this browser supports passkeys in the form that these pages use. All browsers have supported them since 2025.
 */
export const hasPasskeys = 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

type Transport = NonNullable<PasskeyAdd['transports']>[number]
const TRANSPORTS: readonly Transport[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/**
 * Creates a passkey on the device. Throws a DOMException if the device does not create one. `explainPasskeyError`
 * describes this exception in words.
 */
export async function createPasskey(requested: PasskeyOptions): Promise<Omit<PasskeyAdd, 'name'>> {
  const { challenge, rpId, userHandle, userName, userDisplayName, algorithms, timeout, known } = requested
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
    ...{ challenge, timeout, attestation: 'none' },
    rp: { id: rpId, name: 'Plumbline' },
    user: { id: userHandle, name: userName, displayName: userDisplayName },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      ...{ type: 'public-key', id: credentialId, transports },
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  })
  const { id, response } = toJson(await navigator.credentials.create({ publicKey }))
  if (!('attestationObject' in response)) throw noPasskeyError()
  const { clientDataJSON, attestationObject, transports } = response
  const named = TRANSPORTS.filter((each) => transports.includes(each))
  return { credentialId: id, clientDataJSON, attestationObject, transports: named }
}

/** Signs a challenge with a passkey on the device. Throws a DOMException if the device does not sign it. */
export async function signWithPasskey(requested: PasskeyChallenge): Promise<Omit<PasskeySignIn, 'device'>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...requested, userVerification: 'required' })
  const { id, response } = toJson(await navigator.credentials.get({ publicKey }))
  if (!('signature' in response)) throw noPasskeyError()
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  return { credentialId: id, clientDataJSON, authenticatorData, signature, userHandle }
}

/** Returns the browser's data about a passkey, encoded as base64url. */
function toJson(credential: Credential | null) {
  if (!(credential instanceof PublicKeyCredential)) throw noPasskeyError()
  return credential.toJSON()
}

function noPasskeyError(): DOMException {
  return new DOMException('No passkey was created or used.', 'NotAllowedError')
}

/** Describes an error from the browser in words. Returns null for other errors. */
export function explainPasskeyError(error: unknown): string | null {
  if (!(error instanceof DOMException)) return null
  if (error.name === 'InvalidStateError') return 'This device already has your passkey.'
  if (error.name === 'SecurityError')
    return 'Passkeys work only at the public URL of this server. Open this page at that URL.'
  return 'The device was not unlocked, or it has no passkey for this server.'
}
