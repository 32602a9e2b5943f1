import { hash, randomBytes } from 'node:crypto'

/**
 * The secrets of a grant: a code (valid for a minute), an access token (valid for an hour), and a refresh token (valid
 * until it is used). Each secret consists of a prefix and 256 random bits, and only its SHA-256 hash is stored. The
 * prefixes of these secrets differ from the prefix of keys, so that a lookup searches only the right table. Secret
 * scanners can also distinguish the secrets: `/\bpl[acr]_[0-9A-Za-z_-]{43}\b/`.
 */
const PREFIXES = { code: 'plc_', access: 'pla_', refresh: 'plr_' } as const
export type OauthSecretKind = keyof typeof PREFIXES

const BYTES = 32
const SECRET_PATTERN = /^pl[acr]_[\w-]{43}$/

export function createOauthSecret(kind: OauthSecretKind): string {
  return PREFIXES[kind] + randomBytes(BYTES).toString('base64url')
}

export function isOauthSecret(kind: OauthSecretKind, text: string): boolean {
  return text.startsWith(PREFIXES[kind]) && SECRET_PATTERN.test(text)
}

export function hashOauthSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
