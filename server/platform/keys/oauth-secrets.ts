import { hash, randomBytes } from 'node:crypto'

/**
 * The secrets of a grant: a code for a minute, an access token for an hour, and a refresh token until it is used. Each
 * is a prefix and 256 random bits, and only its SHA-256 is stored. Their prefixes differ from those of keys, so that
 * nobody looks for one among the others, and secret scanners can distinguish them: `/\bpl[acr]_[0-9A-Za-z_-]{43}\b/`.
 */
const PREFIXES = { code: 'plc_', access: 'pla_', refresh: 'plr_' } as const
export type OauthSecretKind = keyof typeof PREFIXES

const BYTES = 32
const SECRET_PATTERN = /^pl[acr]_[\w-]{43}$/

export function newOauthSecret(kind: OauthSecretKind): string {
  return PREFIXES[kind] + randomBytes(BYTES).toString('base64url')
}

export function isOauthSecret(kind: OauthSecretKind, text: string): boolean {
  return text.startsWith(PREFIXES[kind]) && SECRET_PATTERN.test(text)
}

export function hashOauthSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
