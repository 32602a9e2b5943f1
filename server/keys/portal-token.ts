import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Config } from '../config.ts'

/**
 * The addresses that vendors are sent: `/portal/<token>`. A token is what it opens (the id of an invitation, or of a
 * vendor) and 192 bits of a keyed hash of it, so it can be shown again to those who may, needs no table, and cannot be
 * guessed, not even by somebody who has read the whole database.
 */
export function portalUrl(config: Config, subjectId: string): string {
  return `${config.publicUrl}/portal/${portalToken(config, subjectId)}`
}

export function portalToken(config: Config, subjectId: string): string {
  return `${subjectId}.${signature(config, subjectId).toString('base64url')}`
}

/** The id that a token opens; null for a token that was not made here. */
export function openPortalToken(config: Config, token: string): string | null {
  const end = token.lastIndexOf('.')
  const subjectId = token.slice(0, Math.max(end, 0))
  // Compared as texts: base64 has several spellings of the same bytes, and only ours is an address.
  const [given, right] = [Buffer.from(token), Buffer.from(portalToken(config, subjectId))]
  return given.length === right.length && timingSafeEqual(given, right) ? subjectId : null
}

function signature(config: Config, subjectId: string): Buffer {
  return createHmac('sha256', config.encryptionKey).update(`portal ${subjectId}`).digest().subarray(0, 24)
}
