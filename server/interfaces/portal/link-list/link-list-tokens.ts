import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'

/**
 * Tokens of emailed links to the list of a vendor's portal links. A token contains the encrypted email address. The
 * database contains a row for each token and deletes it at the first use, so the link works only once.
 */

/**
 * The lifetime of the token in milliseconds, which is long enough for a slow mail server and for a vendor on a roof.
 */
const TOKEN_LIFETIME_MS = 60 * 60 * 1000
/**
 * The time in milliseconds for which the browser can show the list after the vendor has confirmed the email address.
 */
const LIST_LIFETIME_MS = 60 * 60 * 1000

const TOKEN = /^(lnk_[0-9a-z]{26})\.([\w-]{1,2000})$/
const TOKEN_CONTEXT = 'portal link list'
const COOKIE_CONTEXT = 'portal link list cookie'

interface SealedContent {
  id: string
  organizationId: string
  email: string
  expiresAt: number
}

/**
 * Creates a one-time token for an email address. The token's row belongs to the builder of the call, who cannot see it.
 */
export async function createLinkListToken(call: WriteCall, email: string): Promise<string> {
  const { db, organizationId, now, services } = call
  const id = typeid('lnk').toString()
  await sql`
    insert into "portalForms" ("organizationId", "id", "content", "createdAt")
    values (${organizationId}, ${hashId(id)}, '{}'::jsonb, ${now})`.execute(db)
  const content: SealedContent = { id, organizationId, email, expiresAt: now.getTime() + TOKEN_LIFETIME_MS }
  return `${id}.${seal(services, JSON.stringify(content), TOKEN_CONTEXT)}`
}

/** Returns the email address in a token; null if the token is invalid or has expired. The token remains usable. */
export function readLinkListToken(services: Services, token: string): { email: string } | null {
  return readToken(services, token)
}

/** Uses up a token and returns its email address; null if the token is invalid, has expired, or was already used. */
export async function consumeLinkListToken(services: Services, token: string): Promise<{ email: string } | null> {
  const content = readToken(services, token)
  if (content === null) return null
  const { organizationId, id, email } = content
  const { rows } = await sql`
    delete from "portalForms" where "organizationId" = ${organizationId} and "id" = ${hashId(id)}
    returning 1`.execute(services.database.of(organizationId).statements)
  return rows.length === 0 ? null : { email }
}

function readToken(services: Services, token: string): SealedContent | null {
  const [, id, sealed] = TOKEN.exec(token) ?? []
  if (id === undefined || sealed === undefined) return null
  const text = unseal(services, sealed, TOKEN_CONTEXT)
  if (text === null) return null
  const content = JSON.parse(text) as SealedContent
  return content.id === id && content.expiresAt > services.clock.nowMs() ? content : null
}

/** Returns the value of the cookie with which the browser can show the list for a confirmed email address. */
export function toLinkListCookie(services: Services, email: string): string {
  return seal(services, JSON.stringify({ email, expiresAt: services.clock.nowMs() + LIST_LIFETIME_MS }), COOKIE_CONTEXT)
}

/** Returns the confirmed email address in a cookie; null if there is no cookie or it has expired. */
export function readLinkListCookie(services: Services, cookie: string | null): string | null {
  const text = cookie === null ? null : unseal(services, cookie, COOKIE_CONTEXT)
  if (text === null) return null
  const { email, expiresAt } = JSON.parse(text) as { email: string; expiresAt: number }
  return expiresAt > services.clock.nowMs() ? email : null
}

function seal({ config }: Services, text: string, context: string): string {
  return Buffer.from(createVault(config.encryptionKey).seal(text, context)).toString('base64url')
}

function unseal({ config }: Services, sealed: string, context: string): string | null {
  try {
    return createVault(config.encryptionKey).open(Buffer.from(sealed, 'base64url').toString(), context)
  } catch {
    return null
  }
}

function hashId(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
