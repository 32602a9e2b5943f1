import { hash, randomBytes } from 'node:crypto'

/**
 * The secrets of a grant: a code (valid for a minute), an access token (valid for an hour), and a refresh token (valid
 * until its use). Each secret consists of a prefix and 256 random bits. Only its SHA-256 hash is stored. The prefixes
 * differ from that of keys, so that only the correct table is searched. Scanners for secrets can also recognize them:
 * `/\bpl[acr]_[0-9A-Za-z_-]{43}\b/`.
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
