import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Secrets of subscriptions are kept encrypted (AES-256-GCM), because we have to sign with them. Each ciphertext is bound
 * to its subscription: moved to another row it does not open. The key is derived from the configured one, which guards
 * other things too.
 */
export interface Vault {
  seal(secret: string, owner: Owner): string
  open(sealed: string, owner: Owner): string
}

export interface Owner {
  organizationId: string
  webhookId: string
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1.'

export function vault(encryptionKey: Buffer): Vault {
  const key = Buffer.from(hkdfSync('sha256', encryptionKey, '', 'plumbline webhook secrets', 32))
  return {
    seal(secret, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(nameOf(owner))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64')
    },
    open(sealed, owner) {
      if (!sealed.startsWith(VERSION)) throw new Error('This secret was sealed in a way that is not known here.')
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(nameOf(owner))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

function nameOf({ organizationId, webhookId }: Owner): Buffer {
  return Buffer.from(`${organizationId} ${webhookId}`)
}

/** 192 bits, in the form that every verifier of Standard Webhooks reads. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}
