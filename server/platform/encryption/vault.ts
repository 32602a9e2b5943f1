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
 * Encrypts texts (AES-256-GCM) that the service must be able to read later, but that must not be readable in the
 * database. Each text is bound to its context, so it cannot be decrypted if it is moved to another row. The encryption
 * uses a key that is derived from the configured key, which also protects other data. Each encrypted text contains the
 * name of its key.
 */
export interface Vault {
  /**
   * Encrypts a text.
   *
   * @param place the context, which identifies the row and can contain other data
   */
  seal(text: string, place: string): string
  open(sealed: string, place: string): string
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `v2.<key name>.<base64>`. Texts of the first version do not contain the name of the key. */
const VERSION = 'v2.'
const UNNAMED_VERSION = 'v1.'

interface NamedKey {
  /** The prefix of all texts that are encrypted with this key. */
  readonly mark: string
  /** The imported key. The key is cached, because importing a key takes longer than encrypting a text. */
  readonly key: KeyObject
}

interface VaultKeys {
  sealing: NamedKey
  /** All keys that can decrypt texts, by prefix. Includes the key that encrypts. */
  opening: Map<string, NamedKey>
}

const vaultKeys = new WeakMap<Buffer, VaultKeys>()

/**
 * Returns the vault of a deployment. The vault is identified by the encryption key with which the process has started.
 * During a rotation, `replaceVaultKeys` changes the keys of the vault, so code that uses the vault does not have to
 * change.
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

/** Returns the prefix of all texts that are encrypted with this key. */
export function getKeyMark(encryptionKey: Buffer): string {
  const name = createHash('sha256').update('plumbline vault key ').update(encryptionKey).digest('hex').slice(0, 12)
  return `${VERSION}${name}.`
}

/**
 * Makes the vault that is identified by `of` encrypt with the key `sealing`, and decrypt with all keys in `opening`.
 */
export function replaceVaultKeys(
  of: Buffer,
  { sealing, opening }: { sealing: Buffer; opening: readonly Buffer[] },
): void {
  const locks = findVaultKeys(of)
  if (locks.sealing.mark !== getKeyMark(sealing)) locks.sealing = toNamedKey(sealing)
  const marks = new Set([locks.sealing.mark, ...opening.map(getKeyMark)])
  for (const mark of locks.opening.keys()) if (!marks.has(mark)) locks.opening.delete(mark)
  locks.opening.set(locks.sealing.mark, locks.sealing)
  for (const key of opening)
    if (!locks.opening.has(getKeyMark(key))) locks.opening.set(getKeyMark(key), toNamedKey(key))
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
    mark: getKeyMark(encryptionKey),
    key: createSecretKey(Buffer.from(hkdfSync('sha256', encryptionKey, '', 'plumbline vault', 32))),
  }
}

// Tries all keys, of which there are at most two. The authentication tag shows whether a key is wrong.
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
