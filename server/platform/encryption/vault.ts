import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/**
 * Encrypts (AES-256-GCM) texts that must be readable later, but not by somebody who sees the database. Each text is
 * bound to its context: moved to another row, it cannot be decrypted. The key is derived from the configured one, which
 * protects other things too, and encrypted text names its key.
 */
export interface Vault {
  /** @param place the context: identifies the row, and may contain more */
  seal(text: string, place: string): string
  open(sealed: string, place: string): string
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `v2.<key name>.<base64>`. The first version named no key. */
const VERSION = 'v2.'
const UNNAMED_VERSION = 'v1.'

interface NamedKey {
  /** The prefix of everything encrypted with this key. */
  readonly mark: string
  /** An imported key, because importing it for each text takes longer than encrypting. */
  readonly key: KeyObject
}

interface VaultKeys {
  sealing: NamedKey
  /** By prefix, including the encrypting key. */
  opening: Map<string, NamedKey>
}

const vaultKeys = new WeakMap<Buffer, VaultKeys>()

/**
 * Returns the vault of a deployment, identified by the key that the process started with. During a key rotation
 * `replaceKeys` gives the vault the other keys, so its users need not know.
 */
export function createVault(encryptionKey: Buffer): Vault {
  const locks = findVaultKeys(encryptionKey)
  return {
    seal(text, place) {
      const { mark, key } = locks.sealing
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return mark + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
    },
    open(sealed, place) {
      if (sealed.startsWith(UNNAMED_VERSION)) return openWithAnyKey(locks, sealed.slice(UNNAMED_VERSION.length), place)
      const mark = sealed.slice(0, sealed.indexOf('.', VERSION.length) + 1)
      const lock = locks.opening.get(mark)
      if (lock === undefined) throw new Error(`Expected a value encrypted with a known key, not one marked "${mark}".`)
      return openWithKey(lock, sealed.slice(mark.length), place)
    },
  }
}

/** Returns the prefix of everything encrypted with this key. */
export function keyMarkOf(encryptionKey: Buffer): string {
  const name = createHash('sha256').update('plumbline vault key ').update(encryptionKey).digest('hex').slice(0, 12)
  return `${VERSION}${name}.`
}

/** Makes the vault identified by `of` encrypt with one key, and decrypt what any of them has encrypted. */
export function replaceKeys(of: Buffer, { sealing, opening }: { sealing: Buffer; opening: readonly Buffer[] }): void {
  const locks = findVaultKeys(of)
  if (locks.sealing.mark !== keyMarkOf(sealing)) locks.sealing = toNamedKey(sealing)
  const marks = new Set([locks.sealing.mark, ...opening.map(keyMarkOf)])
  for (const mark of locks.opening.keys()) if (!marks.has(mark)) locks.opening.delete(mark)
  locks.opening.set(locks.sealing.mark, locks.sealing)
  for (const key of opening) if (!locks.opening.has(keyMarkOf(key))) locks.opening.set(keyMarkOf(key), toNamedKey(key))
}

function findVaultKeys(encryptionKey: Buffer): VaultKeys {
  let locks = vaultKeys.get(encryptionKey)
  if (locks === undefined) {
    const sealing = toNamedKey(encryptionKey)
    locks = { sealing, opening: new Map([[sealing.mark, sealing]]) }
    vaultKeys.set(encryptionKey, locks)
  }
  return locks
}

function toNamedKey(encryptionKey: Buffer): NamedKey {
  return {
    mark: keyMarkOf(encryptionKey),
    key: createSecretKey(Buffer.from(hkdfSync('sha256', encryptionKey, '', 'plumbline vault', 32))),
  }
}

// There are at most two keys, and the authentication tag reveals a wrong one.
function openWithAnyKey({ opening }: VaultKeys, text: string, place: string): string {
  let failure: unknown
  for (const lock of opening.values()) {
    try {
      return openWithKey(lock, text, place)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function openWithKey({ key }: NamedKey, text: string, place: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw new Error('Expected the encrypted value to be base64.')
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
}
