import type { Call } from '../calls/call.ts'
import { vault } from '../encryption/vault.ts'
import { conflict } from '../problems/problem.ts'

/**
 * What a page holds instead of an API key: a token that does part of what the key does, for pages of one origin, and for
 * 15 minutes. It says all of this itself, sealed, so that no process has to look it up, and nothing has to be cleared
 * away. Whether the key still stands is looked up as for the key (key-authenticator.ts).
 */
export interface BrowserToken {
  readonly organizationId: string
  readonly keyId: string
  readonly origin: string
  readonly permissions: readonly string[]
  /** In milliseconds. */
  readonly expires: number
}

export const BROWSER_TOKEN_MS = 15 * 60_000

/** It begins as keys do, so that whoever looks for leaked keys finds it too. */
const PREFIX = 'plb_browser.'
const PLACE = 'browser token'

/** With every permission there is, a token has some 1,500 characters. */
const LONGEST = 4000

export function sealBrowserToken(encryptionKey: Buffer, token: BrowserToken): string {
  return PREFIX + Buffer.from(vault(encryptionKey).seal(JSON.stringify(token), PLACE)).toString('base64url')
}

export function isBrowserToken(secret: string): boolean {
  return secret.startsWith(PREFIX)
}

/** Null for what nobody here has sealed. */
export function openBrowserToken(encryptionKey: Buffer, secret: string): BrowserToken | null {
  if (secret.length > LONGEST) return null
  const text = secret.slice(PREFIX.length)
  const bytes = Buffer.from(text, 'base64url')
  // Node reads past what is no base64, so that a token would have many forms.
  if (bytes.toString('base64url') !== text) return null
  const sealed = bytes.toString('latin1')
  try {
    return JSON.parse(vault(encryptionKey).open(sealed, PLACE)) as BrowserToken
  } catch {
    return null
  }
}

/**
 * Throws `wrong_caller` for a browser token. It ends after 15 minutes, and whatever gives access or receives data must not
 * outlive it.
 */
export function refuseBrowserToken({ principal }: Pick<Call, 'principal'>): void {
  if (principal.isInBrowser === true)
    throw conflict(
      'wrong_caller',
      'A browser token cannot call this operation, because the result would outlive the token. Use the API key on your server.',
    )
}
