import { hasStorageLeft, type StoredFile } from '../../domain/attachments/attach-file.ts'
import { LINK_PLACEHOLDER } from '../../domain/office/mail/mail-link.ts'
import { queueInternalMail } from '../../domain/office/mail/queue-mails.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { findLinkUrls } from '../../platform/keys/portal-links.ts'
import { createPageLocale } from '../portal/pages/words/page-locale.ts'
import type { RefusalReason, StoredMailedFile } from './mailed-files.ts'

/** A file of an email that was not stored. */
export interface RefusedFile {
  fileName: string
  refusal: RefusalReason
}

/** Returns the files that still fit into the builder's storage together, and the refused files. */
export async function keepWithinStorage(
  call: WriteCall,
  files: readonly StoredMailedFile[],
  max = Number.POSITIVE_INFINITY,
): Promise<{ accepted: StoredFile[]; refused: RefusedFile[] }> {
  const accepted: StoredFile[] = []
  const refused: RefusedFile[] = []
  let size = 0
  for (const { fileName, stored, refusal } of files) {
    if (stored === null) refused.push({ fileName, refusal })
    else if (accepted.length >= max) refused.push({ fileName, refusal: 'too_many' })
    else if (!(await hasStorageLeft(call, { ...stored, size: size + stored.size })))
      refused.push({ fileName, refusal: 'no_storage' })
    else {
      accepted.push(stored)
      size += stored.size
    }
  }
  return { accepted, refused }
}

/** Returns one line for each file with the reason, and for many files the number of the other files. */
export function writeRefusals(
  refused: readonly RefusedFile[],
  reasons: Readonly<Record<RefusalReason, string>>,
  max = refused.length,
): string {
  const lines = refused.slice(0, max).map(({ fileName, refusal }) => `${fileName}: ${reasons[refusal]}`)
  return [...lines, ...(refused.length > max ? [`+ ${refused.length - max}`] : [])].join('\n')
}

/** Emails the vendor which files of its reply to a message were not stored, and why. */
export async function mailRefusedFiles(
  call: WriteCall,
  { messageId, to, refused }: { messageId: string; to: string; refused: readonly RefusedFile[] },
): Promise<void> {
  const { id: vendorId, language } = await vendors.find(call, String(call.principal.id))
  const link = (await findLinkUrls(call, [vendorId])).get(vendorId) ?? null
  const { mailed } = createPageLocale(language ?? 'en', call.now).words
  await queueInternalMail(call, {
    ...{ kind: 'bid_draft', to, vendorId, aboutId: messageId, link, subject: mailed.refusedSubject },
    text: mailed.refused(writeRefusals(refused, mailed.refusals), link === null ? '' : LINK_PLACEHOLDER),
  })
}
