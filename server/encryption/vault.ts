import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/**
 * What has to be read again but not by whoever sees the database is kept encrypted (AES-256-GCM). Each text is bound to
 * the place that it was sealed for: moved to another row it does not open. The key is derived from the configured one,
 * which guards other things too.
 */
export interface Vault {
  /** @param place names the row, whatever else may be in it */
  seal(text: string, place: string): string
  open(sealed: string, place: string): string
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1.'

const vaults = new WeakMap<Buffer, Vault>()

export function vault(encryptionKey: Buffer): Vault {
  const known = vaults.get(encryptionKey)
  if (known !== undefined) return known
  const made = newVault(Buffer.from(hkdfSync('sha256', encryptionKey, '', 'plumbline vault', 32)))
  vaults.set(encryptionKey, made)
  return made
}

function newVault(key: Buffer): Vault {
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed, place) {
      if (!sealed.startsWith(VERSION)) throw new Error('This was sealed in a way that is not known here.')
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(place))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
