import type { PortalCalendarFeed } from '../../../client/contract.gen.ts'
import { createFeed } from '../../domain/building/calendars/create-feed.ts'
import type { Call } from '../../platform/calls/call.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { notFound } from '../../platform/problems/problem.ts'

/** Creates a calendar feed of the vendor's dates. Requires a link to the whole portal. */
export async function createPortalCalendarFeed(call: Call): Promise<PortalCalendarFeed> {
  const { id, subjectId } = call.principal
  if (id === null || subjectId !== id) throw notFound()
  const { url } = await call.write((call) => createFeed(call, { vendorId: id, userId: null, communityId: null }))
  return { url }
}

/** Encrypts the URL of a calendar. No response shows the URL again, so the encrypted URL is passed to the next page. */
export function sealCalendarUrl(call: Call, url: string | null): string {
  return Buffer.from(openVault(call).seal(url ?? '', toContext(call))).toString('base64url')
}

/** Returns the URL of the calendar that was just created; null if there is none. */
export function readCalendarUrl(call: Call, sealed: unknown): string | null {
  if (typeof sealed !== 'string') return null
  try {
    const url = openVault(call).open(Buffer.from(sealed, 'base64url').toString(), toContext(call))
    return url === '' ? null : url
  } catch {
    return null
  }
}

function openVault({ services }: Call) {
  return createVault(services.config.encryptionKey)
}

function toContext({ organizationId, principal }: Call): string {
  return `portal calendar ${organizationId} ${principal.id}`
}
