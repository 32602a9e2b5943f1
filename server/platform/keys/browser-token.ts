import type { Call } from '../calls/call.ts'
import { createVault } from '../encryption/vault.ts'
import { conflict } from '../problems/problem.ts'

/**
 * A token for a web page, used instead of an API key. The token has some of the key's permissions, is for pages of one
 * origin, and lasts 15 minutes. The token contains all of this information, encrypted, so that no process has to look
 * it up, and no data has to be deleted. The check whether the key is still valid is the same as for the key itself
 * (key-authenticator.ts).
 */
export interface BrowserToken {
  readonly organizationId: string
  readonly keyId: string
  readonly origin: string
  readonly permissions: readonly string[]
  /** Expiration time in milliseconds. */
  readonly expires: number
}

export const BROWSER_TOKEN_MS = 15 * 60_000

/** The prefix starts like the prefix of keys, so that scanners for leaked keys also find tokens. */
const PREFIX = 'plb_browser.'
const SEAL_CONTEXT = 'browser token'

/** With all permissions, a token has about 1,500 characters. */
const MAX_TOKEN_LENGTH = 4000

export function sealBrowserToken(encryptionKey: Buffer, token: BrowserToken): string {
  return (
    PREFIX + Buffer.from(createVault(encryptionKey).seal(JSON.stringify(token), SEAL_CONTEXT)).toString('base64url')
  )
}

export function isBrowserToken(secret: string): boolean {
  return secret.startsWith(PREFIX)
}

/** Returns the contents of a token; null if this service did not create it. */
export function unsealBrowserToken(encryptionKey: Buffer, secret: string): BrowserToken | null {
  if (secret.length > MAX_TOKEN_LENGTH) return null
  const text = secret.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores invalid base64 characters, so without this check a token would have many forms.
  if (bytes.toString('base64url') !== text) return null
  const sealed = bytes.toString('latin1')
  try {
    return JSON.parse(createVault(encryptionKey).open(sealed, SEAL_CONTEXT)) as BrowserToken
  } catch {
    return null
  }
}

/**
 * Throws `wrong_caller` if the caller uses a browser token. The token expires after 15 minutes, and no credential or
 * subscription created with it may outlive it.
 */
export function assertNotBrowserToken({ principal }: Pick<Call, 'principal'>): void {
  if (principal.isInBrowser === true)
    throw conflict(
      'wrong_caller',
      'A browser token cannot call this operation, because the result would outlive the token. Use the API key on your server.',
    )
}
