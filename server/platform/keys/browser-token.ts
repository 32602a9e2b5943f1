import type { Call } from '../calls/call.ts'
import { createVault } from '../encryption/vault.ts'
import { conflict } from '../problems/problem.ts'

/**
 * A token that a web page uses instead of an API key. The token has some of the permissions of the key, can be used
 * only by pages of one origin, and expires after 15 minutes. The encrypted token itself contains all of this data, so
 * no process has to look it up, and no data has to be deleted. Whether the key is still valid is checked in the same
 * way as for the key itself (see key-authenticator.ts).
 */
export interface BrowserToken {
  readonly organizationId: string
  readonly keyId: string
  readonly origin: string
  readonly permissions: readonly string[]
  /** The expiration time in milliseconds. */
  readonly expires: number
}

export const BROWSER_TOKEN_MS = 15 * 60_000

/** The prefix begins like that of keys, so that scanners for leaked keys also find tokens. */
const PREFIX = 'plb_browser.'
const SEAL_CONTEXT = 'browser token'

/** A token with all permissions has about 1,500 characters. */
const MAX_TOKEN_LENGTH = 4000

export function sealBrowserToken(encryptionKey: Buffer, token: BrowserToken): string {
  return (
    PREFIX + Buffer.from(createVault(encryptionKey).seal(JSON.stringify(token), SEAL_CONTEXT)).toString('base64url')
  )
}

export function isBrowserToken(secret: string): boolean {
  return secret.startsWith(PREFIX)
}

/** Returns the contents of a token; null if the service has not created it. */
export function unsealBrowserToken(encryptionKey: Buffer, secret: string): BrowserToken | null {
  if (secret.length > MAX_TOKEN_LENGTH) return null
  const text = secret.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores invalid characters in base64. Without this check, several texts would be the same token.
  if (bytes.toString('base64url') !== text) return null
  const sealed = bytes.toString('latin1')
  try {
    return JSON.parse(createVault(encryptionKey).open(sealed, SEAL_CONTEXT)) as BrowserToken
  } catch {
    return null
  }
}

/**
 * Throws `wrong_caller` if the caller uses a browser token. The token expires after 15 minutes, and must not be used to
 * create a credential or subscription that is valid for longer.
 */
export function assertNotBrowserToken({ principal }: Pick<Call, 'principal'>): void {
  if (principal.isInBrowser === true)
    throw conflict(
      'wrong_caller',
      'A browser token cannot call this operation, because the result would outlive the token. Use the API key on your server.',
    )
}
