import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * An API key consists of `plb_`, 31 random characters (184 bits), and a checksum of 6 characters. The characters are
 * 0-9, A-Z, and a-z. Because of the checksum, a mistyped key is rejected without a lookup. Scanners for secrets can
 * also distinguish a real key from similar text: `/\bplb_[0-9A-Za-z]{37}\b/`. Only the SHA-256 hash of a key is stored.
 */
const PREFIX = 'plb_'
const RANDOM_CHARACTERS = 31
const CHECKSUM_CHARACTERS = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_PATTERN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}$`)

export function createKeySecret(): string {
  let random = ''
  while (random.length < RANDOM_CHARACTERS) {
    // Skip bytes of 248 and above, because 248 is the largest multiple of 62. All characters are then equally likely.
    for (const byte of randomBytes(64)) {
      if (byte < 248 && random.length < RANDOM_CHARACTERS) random += ALPHABET[byte % 62]
    }
  }
  return PREFIX + random + checksum(random)
}

export function isKeySecret(secret: string): boolean {
  if (!SECRET_PATTERN.test(secret)) return false
  const random = secret.slice(PREFIX.length, PREFIX.length + RANDOM_CHARACTERS)
  return secret.endsWith(checksum(random))
}

export function hashKeySecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** Returns the part of a secret that identifies it in lists and logs. */
export function getKeySecretStart(secret: string): string {
  return secret.slice(0, PREFIX.length + 6)
}

function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = ALPHABET[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
