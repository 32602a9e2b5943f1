import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { vault } from '../encryption/vault.ts'
import type { Call, WriteCall } from '../http/call.ts'
import { secretHash } from './secret.ts'

/**
 * The addresses that vendors are sent: `/portal/<token>`. A token is what it opens (the id of an invitation, or of a
 * vendor) and 192 random bits. It is found by its hash, so it works whatever becomes of the encryption key; that key only
 * seals the copies from which the addresses of invitations are shown again. What it opens has one address at a time.
 */
const RANDOM_BYTES = 24
const FORM = /^(inv|ven)_[0-9a-z]{26}\.[\w-]{32}$/

const DAY_MS = 86_400_000
const DAYS_AFTER_DEADLINE = 14
/** Half a year: longer than most homes take, and shorter than an address stays in a mailbox unseen. */
const DAYS_OF_PORTAL = 180

/** What an address is for: an invitation, or the vendor itself for all that is the vendor's. */
export interface Addressed {
  subjectId: string
  vendorId: string
}

/** What decides until when an address opens something. */
export interface Purpose {
  createdAt: string
  /** Of the bid request, where the address is that of an invitation. */
  deadlineAt: string | null
}

/** When the last reason ends for which an address holds; whatever else is to keep one open becomes a reason here. */
export function endOf({ createdAt, deadlineAt }: Purpose): Date {
  const reasons = [
    deadlineAt === null
      ? Date.parse(createdAt) + DAYS_OF_PORTAL * DAY_MS
      : Date.parse(deadlineAt) + DAYS_AFTER_DEADLINE * DAY_MS,
  ]
  return new Date(Math.max(...reasons))
}

/** Whether a text can be a token at all, which costs no look-up. */
export function isPortalToken(text: string): boolean {
  return FORM.test(text)
}

export function hashOf(token: string): Buffer {
  return secretHash(token)
}

/** Makes the addresses of what has none, or none any more, and answers each by what it opens. */
export async function issueAddresses(call: WriteCall, those: readonly Addressed[]): Promise<Map<string, string>> {
  const tokens = those.map(({ subjectId }) => `${subjectId}.${randomBytes(RANDOM_BYTES).toString('base64url')}`)
  const rows = those.map(({ subjectId, vendorId }, i) => {
    const token = tokens[i] ?? ''
    return {
      organizationId: call.organizationId,
      hash: hashOf(token),
      subjectId,
      vendorId,
      // That of a vendor's whole portal is shown but once.
      sealedToken:
        subjectId === vendorId ? null : sealing(call).seal(token, placeOfAddress(call.organizationId, subjectId)),
      createdAt: call.now,
    }
  })
  if (rows.length > 0) await call.db.insertInto('portalAddresses').values(rows).execute()
  return new Map(those.map(({ subjectId }, i) => [subjectId, urlOf(call, tokens[i] ?? '')]))
}

/** Ends the address of an invitation or a vendor; false where there was none. */
export async function revokeAddress(call: WriteCall, subjectId: string): Promise<boolean> {
  const { rows } = await sql`
    update "portalAddresses" set "revokedAt" = ${call.now}, "sealedToken" = null
    where "organizationId" = ${call.organizationId} and "subjectId" = ${subjectId} and "revokedAt" is null
    returning 1`.execute(call.db)
  return rows.length > 0
}

/**
 * Whether this caller is shown addresses, which are as good as the vendor's word. A dry run shows none: those that it
 * makes are undone.
 */
export function seesAddresses({ permissions, keptHidden }: Pick<Call, 'permissions' | 'keptHidden'>): boolean {
  return permissions.has('bids:write') && keptHidden === null
}

/** The addresses of these invitations, as far as they have one. */
export async function addressesOf(call: Call, invitationIds: readonly string[]): Promise<Map<string, string>> {
  if (invitationIds.length === 0) return new Map()
  const { rows } = await sql<{ subjectId: string; sealedToken: string }>`
    select "subjectId", "sealedToken" from "portalAddresses"
    where "organizationId" = ${call.organizationId} and "subjectId" = any(${[...invitationIds]}) and "revokedAt" is null
      and "sealedToken" is not null`.execute(call.db)
  return new Map(
    rows.map(({ subjectId, sealedToken }) => [
      subjectId,
      urlOf(call, sealing(call).open(sealedToken, placeOfAddress(call.organizationId, subjectId))),
    ]),
  )
}

function urlOf({ surroundings }: Call, token: string): string {
  return `${surroundings.config.publicUrl}/portal/${token}`
}

function sealing({ surroundings }: Call) {
  return vault(surroundings.config.encryptionKey)
}

/** What the token of an address is sealed for. */
export function placeOfAddress(organizationId: string, subjectId: string): string {
  return `portal address ${organizationId} ${subjectId}`
}
