import type { PasskeyAdd, PasskeyChallenge, PasskeyOptions, PasskeySignIn } from '../../../client/contract.gen.ts'

/** Whether this browser has passkeys in the way that these pages use them, as all do since 2025. */
export const hasPasskeys = 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential

type Transport = NonNullable<PasskeyAdd['transports']>[number]
const TRANSPORTS: readonly Transport[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Has the device make a passkey. Throws a DOMException where it does not; `whyNot` says it in words. */
export async function makePasskey(asked: PasskeyOptions): Promise<Omit<PasskeyAdd, 'name'>> {
  const { challenge, rpId, userHandle, userName, userDisplayName, algorithms, timeout, known } = asked
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
  const { id, response } = answerOf(await navigator.credentials.create({ publicKey }))
  if (!('attestationObject' in response)) throw none()
  const { clientDataJSON, attestationObject, transports } = response
  const named = TRANSPORTS.filter((each) => transports.includes(each))
  return { credentialId: id, clientDataJSON, attestationObject, transports: named }
}

/** Has the device sign a challenge by one of its passkeys. Throws a DOMException where it does not. */
export async function signByPasskey(asked: PasskeyChallenge): Promise<Omit<PasskeySignIn, 'device'>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...asked, userVerification: 'required' })
  const { id, response } = answerOf(await navigator.credentials.get({ publicKey }))
  if (!('signature' in response)) throw none()
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response
  return { credentialId: id, clientDataJSON, authenticatorData, signature, userHandle }
}

/** What the browser writes of a passkey, in base64url. */
function answerOf(credential: Credential | null) {
  if (!(credential instanceof PublicKeyCredential)) throw none()
  return credential.toJSON()
}

function none(): DOMException {
  return new DOMException('No passkey was created or used.', 'NotAllowedError')
}

/** What the browser said no with, in words; null if it was not the browser. */
export function whyNot(error: unknown): string | null {
  if (!(error instanceof DOMException)) return null
  if (error.name === 'InvalidStateError') return 'This device already has your passkey.'
  if (error.name === 'SecurityError')
    return 'Passkeys only work at the public URL of this server. Open this page there.'
  return 'The device was not unlocked, or it has no passkey for this server.'
}
