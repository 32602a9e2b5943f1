import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'

/**
 * The token of an emailed one-time link. The token contains its subject, encrypted. A stored row, which is deleted at
 * the first use, makes the link a one-time link. The context states what the link opens, so that a token for one page
 * cannot be used for another page.
 */

/** The lifetime of a token in milliseconds, which is long enough for a slow mail server and for a vendor on a roof. */
const LIFETIME_MS = 60 * 60 * 1000
const TOKEN = /^(lnk_[0-9a-z]{26})\.([\w-]{1,2000})$/

interface SealedContent extends TokenContent {
  id: string
  expiresAt: number
}

export interface TokenContent {
  /** The organization that stores the row of the token. */
  organizationId: string
  /** The address or the record that the link is for. */
  subject: string
}

/** Creates a one-time token. The builder of the call stores the token's row. */
export async function createOneTimeToken(call: WriteCall, context: string, subject: string): Promise<string> {
  const { db, organizationId, now, services } = call
  const id = typeid('lnk').toString()
  await sql`
    insert into "portalForms" ("organizationId", "id", "content", "createdAt")
    values (${organizationId}, ${hashId(id)}, '{}'::jsonb, ${now})`.execute(db)
  const content: SealedContent = { id, organizationId, subject, expiresAt: now.getTime() + LIFETIME_MS }
  return `${id}.${seal(services, JSON.stringify(content), context)}`
}

/** Returns the content of a token; null if the token is invalid or has expired. The token remains usable. */
export function readOneTimeToken(services: Services, context: string, token: string): TokenContent | null {
  return readToken(services, context, token)
}

/** Uses up a token and returns its content; null if the token is invalid, has expired, or was already used. */
export async function consumeOneTimeToken(
  services: Services,
  context: string,
  token: string,
): Promise<TokenContent | null> {
  const content = readToken(services, context, token)
  if (content === null) return null
  const { organizationId, id } = content
  const { rows } = await sql`
    delete from "portalForms" where "organizationId" = ${organizationId} and "id" = ${hashId(id)}
    returning 1`.execute(services.database.of(organizationId).statements)
  return rows.length === 0 ? null : content
}

function readToken(services: Services, context: string, token: string): SealedContent | null {
  const [, id, sealed] = TOKEN.exec(token) ?? []
  if (id === undefined || sealed === undefined) return null
  const text = unseal(services, sealed, context)
  if (text === null) return null
  const content = JSON.parse(text) as SealedContent
  return content.id === id && content.expiresAt > services.clock.nowMs() ? content : null
}

/** Returns an encrypted text that only `unseal` with the same context can read. */
export function seal({ config }: Services, text: string, context: string): string {
  return Buffer.from(createVault(config.encryptionKey).seal(text, context)).toString('base64url')
}

export function unseal({ config }: Services, sealed: string, context: string): string | null {
  try {
    return createVault(config.encryptionKey).open(Buffer.from(sealed, 'base64url').toString(), context)
  } catch {
    return null
  }
}

function hashId(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
