import type { PortalBid, PortalBidDraft } from '../../../client/contract.gen.ts'
import { attachStoredFile } from '../../domain/attachments/attach-file.ts'
import { countFilesOfRecord } from '../../domain/attachments/queries.ts'
import { LINK_PLACEHOLDER } from '../../domain/office/mail/mail-link.ts'
import { queueInternalMail } from '../../domain/office/mail/queue-mails.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { findLinkUrls } from '../../platform/keys/portal-links.ts'
import { createPageLocale } from '../portal/pages/words/page-locale.ts'
import { MAX_FILES_PER_INVITATION } from '../portal/portal-attachments.ts'
import { saveBidDraft } from '../portal/portal-bid.ts'
import { readInvitation } from '../portal/portal-invitation.ts'
import { cleanText } from './clean-text.ts'
import type { StoredMailedFile } from './mailed-files.ts'
import { keepWithinStorage, type RefusedFile, writeRefusals } from './refused-files.ts'

/**
 * A vendor's emailed reply to an invitation. Its text and files become a draft of a bid, which the vendor completes and
 * submits in the portal.
 */
interface MailedBid {
  invitationId: string
  /** The email address of the sender. */
  from: string
  text: string
  files: readonly StoredMailedFile[]
}

const MAX_NOTE = 5000

export async function saveMailedBid(call: WriteCall, before: PortalBid, mailed: MailedBid): Promise<void> {
  const { invitationId, text, files } = mailed
  const entries = toEntries(before)
  await saveBidDraft(call, invitationId, { ...entries, note: appendToNote(entries.note, text) })
  const left = MAX_FILES_PER_INVITATION - (await countFilesOfRecord(call, invitationId))
  const { accepted, refused } = await keepWithinStorage(call, files, left)
  for (const file of accepted) await attachStoredFile(call, invitationId, file, { max: MAX_FILES_PER_INVITATION })
  await mailNextStep(call, mailed, refused)
}

/** Sends the vendor an email saying that its files were not saved, because the request no longer accepts bids. */
export async function mailBiddingClosedNotice(call: WriteCall, { invitationId, from }: MailedBid): Promise<void> {
  await mailVendor(call, { invitationId, from }, 'closed', [])
}

async function mailNextStep(call: WriteCall, { invitationId, from }: MailedBid, refused: readonly RefusedFile[]) {
  await mailVendor(call, { invitationId, from }, 'saved', refused)
}

async function mailVendor(
  call: WriteCall,
  { invitationId, from }: Pick<MailedBid, 'invitationId' | 'from'>,
  outcome: 'saved' | 'closed',
  refused: readonly RefusedFile[],
): Promise<void> {
  const { id: vendorId, language } = await vendors.find(call, String(call.principal.id))
  const links = await findLinkUrls(call, [invitationId, vendorId])
  const link = links.get(invitationId) ?? links.get(vendorId)
  if (link === undefined) return
  const { request } = await readInvitation(call, invitationId)
  const reader = createPageLocale(language ?? 'en', call.now)
  const { mailed } = reader.words
  const name = `${request.number} ${request.title ?? reader.tradeName(request)}`
  const text =
    outcome === 'saved'
      ? mailed.saved(LINK_PLACEHOLDER, writeRefusals(refused, mailed.refusals))
      : mailed.closed(LINK_PLACEHOLDER)
  await queueInternalMail(call, {
    ...{ kind: 'bid_draft', to: from, vendorId, aboutId: invitationId, link },
    ...{ subject: outcome === 'saved' ? mailed.savedSubject(name) : mailed.closedSubject(name), text },
  })
}

/** Returns the entries of the draft. If there is no draft, returns the entries of the bid that the vendor submitted. */
function toEntries({ draft, bid }: PortalBid): Omit<PortalBidDraft, 'version' | 'updatedAt'> {
  if (draft !== null) {
    const { version: _, updatedAt: __, ...entries } = draft
    return entries
  }
  const sent = bid === null || bid.status === 'withdrawn' ? null : bid
  return {
    amount: sent === null || sent.lines.length > 0 ? null : sent.amount,
    lines: (sent?.lines ?? []).map(({ lineId, description, unitPrice, excluded, alternate, note }) => ({
      ...{ lineId, description: lineId === null ? description : null, unitPrice, excluded, alternate, note },
    })),
    alternates: (sent?.alternates ?? []).map(({ description, amount, note }) => ({ description, amount, note })),
    ...{ inclusions: sent?.inclusions ?? null, exclusions: sent?.exclusions ?? null, note: sent?.note ?? null },
    ...{ leadTimeDays: sent?.leadTimeDays ?? null, durationDays: sent?.durationDays ?? null },
    validUntil: sent?.validUntil ?? null,
  }
}

function appendToNote(note: string | null, text: string): string | null {
  const parts = [note ?? '', text].filter((part) => part !== '')
  return parts.length === 0 ? null : cleanText(parts.join('\n\n'), MAX_NOTE)
}
