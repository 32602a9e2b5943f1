import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/**
 * A minimal device with one passkey, which responds like a browser (WebAuthn, "none" attestation, ES256). A test can
 * make it send false data.
 */
export interface Authenticator {
  readonly credentialId: string
  /** Returns the response to createPasskeyRegistrationOptions. */
  create(requested: CeremonyOptions, lies?: Deviations): Record<string, unknown>
  /** Returns the response to createPasskeyChallenge. Increases the counter by one unless `counter` sets it. */
  sign(requested: CeremonyOptions, lies?: Deviations): Record<string, unknown>
}

interface CeremonyOptions {
  challenge: string
  userHandle?: string
}

export interface Deviations {
  origin?: string
  rpId?: string
  type?: string
  counter?: number
  /** The device's check of the user: 1 if the user was present, 4 if the user was verified. */
  flags?: number
  userHandle?: string | null
}

const PRESENT_AND_VERIFIED = 5
const HAS_CREDENTIAL = 0x40

export function createAuthenticator(publicUrl: string): Authenticator {
  const { origin, hostname } = new URL(publicUrl)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const credentialId = id.toString('base64url')
  let counter = 0
  let owner: string | null = null

  const clientData = (type: string, challenge: string, lies: Deviations) =>
    Buffer.from(JSON.stringify({ type: lies.type ?? type, challenge, origin: lies.origin ?? origin }))
  const about = (flags: number, lies: Deviations) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(lies.flags ?? flags)
    head.writeUInt32BE(lies.counter ?? counter, 1)
    return Buffer.concat([sha256Of(Buffer.from(lies.rpId ?? hostname)), head])
  }

  return {
    credentialId,
    create({ challenge, userHandle }, lies = {}) {
      owner = userHandle ?? null
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      // The public key in CBOR, which is an EC2 key on the curve P-256 for ES256.
      const key = Buffer.concat([
        ...[Buffer.from('a5010203262001215820', 'hex'), Buffer.from(x, 'base64url')],
        ...[Buffer.from('225820', 'hex'), Buffer.from(y, 'base64url')],
      ])
      const length = Buffer.from([0, id.length])
      const data = Buffer.concat([
        about(PRESENT_AND_VERIFIED | HAS_CREDENTIAL, lies),
        Buffer.alloc(16),
        length,
        id,
        key,
      ])
      // The CBOR of {"fmt": "none", "attStmt": {}, "authData": …}
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex')
      const attestation = Buffer.concat([head, Buffer.from([data.length]), data])
      return {
        credentialId,
        clientDataJSON: clientData('webauthn.create', challenge, lies).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      }
    },
    sign({ challenge }, lies = {}) {
      counter += 1
      const client = clientData('webauthn.get', challenge, lies)
      const data = about(PRESENT_AND_VERIFIED, lies)
      return {
        credentialId,
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256Of(client)]), privateKey).toString('base64url'),
        userHandle: lies.userHandle === undefined ? owner : lies.userHandle,
      }
    },
  }
}

function sha256Of(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
