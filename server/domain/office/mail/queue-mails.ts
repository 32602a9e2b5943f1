import type { MailKind, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'
import type { PlaceholderValues } from '../../../platform/values/placeholders.ts'
import { MAIL_LOCALES, type MailLocale } from '../message-templates/mail-locale.ts'
import { findWordings } from '../message-templates/queries.ts'
import { renderMail } from '../message-templates/render-mail.ts'
import { findSandbox } from '../organizations/sandboxes.ts'
import { getLinkEncryptionContext, toLinkValues } from './mail-link.ts'
import * as mails from './queries.ts'
import { issueReplyTokens } from './reply-addresses.ts'

/** An email, which is sent separately to each address of one recipient. */
export interface OutgoingMail {
  kind: MailKind & MessageTemplateKind
  to: readonly string[]
  vendorId?: string
  userId?: string
  homeOwnerId?: string
  /** The ID of the record that is the subject of the email. */
  aboutId: string
  /** Returns the values of the placeholders in the language of the email. */
  values(locale: MailLocale): PlaceholderValues
  /** The portal link in the email, if there is one. */
  link?: string | null
  /**
   * The ID of the invitation or message to which a reply of the vendor is added. If it is omitted, replies go directly
   * to the builder.
   */
  replySubjectId?: string
}

/**
 * Returns whether the deployment sends email. Call this function before reading data that is needed only for an email.
 */
export function canSendMail({ services }: Pick<WriteCall, 'services'>): boolean {
  return services.config.mail !== null
}

/**
 * Returns whether the service can send email to these addresses of a vendor or home owner. Always false without a mail
 * server and in a sandbox.
 */
export async function canReach(call: WriteCall, recipients: readonly string[]): Promise<boolean> {
  return canSendMail(call) && recipients.length > 0 && (await findSandbox(call.db, call.organizationId)) === undefined
}

/**
 * Adds emails to the outbox. The emails are stored in the transaction of the change that they report, so that either
 * both or neither are committed. Emails to vendors are in the language of the vendor. Does nothing if there is no mail
 * server.
 */
export async function queueMails(call: WriteCall, provided: readonly OutgoingMail[]): Promise<void> {
  if (!canSendMail(call) || provided.length === 0) return
  // In a sandbox, send no email to vendors, because they are fictional or do not know about the sandbox.
  const isSandbox = (await findSandbox(call.db, call.organizationId)) !== undefined
  const outgoing = isSandbox ? provided.filter(({ userId }) => userId !== undefined) : provided
  if (outgoing.length === 0) return
  const wordings = await findWordings(
    call,
    outgoing.map(({ kind }) => kind),
  )
  const languages = await mails.findVendorLanguages(
    call,
    outgoing.flatMap(({ vendorId = null }) => vendorId ?? []),
  )
  const rows = outgoing.flatMap(({ link = null, replySubjectId, values, to, ...mail }) => {
    const wording = wordings[mail.kind][languages.get(mail.vendorId ?? '') ?? 'en']
    const named = {
      'builder.name': call.principal.organization.name,
      ...values(MAIL_LOCALES[wording.language]),
      ...toLinkValues(link),
    }
    const written = renderMail(wording, named)
    return to.map((address) => ({
      mail: toMailRow(call, { ...mail, to: address, ...written, link }),
      replySubject:
        replySubjectId === undefined || mail.vendorId === undefined
          ? null
          : { subjectId: replySubjectId, vendorId: mail.vendorId },
    }))
  })
  const replyTokens = await issueReplyTokens(
    call,
    rows.map(({ replySubject }) => replySubject),
  )
  await mails.insertMails(
    call,
    rows.map(({ mail }, i) => ({ ...mail, replyToken: replyTokens[i] ?? null })),
  )
}

/**
 * An email to a user, vendor, or home owner whose text builders cannot change. The text contains `LINK_PLACEHOLDER` at
 * the position of the link.
 */
export interface InternalMail {
  kind: Exclude<MailKind, MessageTemplateKind>
  to: string
  /** The ID of the user who receives the email; absent for other recipients. */
  userId?: string
  /** The ID of the vendor that receives the email; absent for other recipients. */
  vendorId?: string
  /** The ID of the record that is the subject of the email. */
  aboutId: string
  subject: string
  text: string
  /** The link that replaces `LINK_PLACEHOLDER`; null if the text has no link. */
  link: string | null
  /** The attached file; absent or null if there is none. */
  attachment?: { fileName: string; bytes: Buffer } | null
}

/** Adds an internal email to the outbox. Does nothing if there is no mail server. */
export async function queueInternalMail(call: WriteCall, mail: InternalMail): Promise<void> {
  if (canSendMail(call)) await mails.insertMails(call, [toMailRow(call, mail)])
}

interface MailDraft {
  kind: MailKind
  to: string
  subject: string
  text: string
  vendorId?: string | undefined
  userId?: string | undefined
  homeOwnerId?: string | undefined
  aboutId: string
  link: string | null
  attachment?: { fileName: string; bytes: Buffer } | null
}

function toMailRow(
  call: WriteCall,
  { vendorId, userId, homeOwnerId, link, attachment = null, ...draft }: MailDraft,
): mails.MailRow {
  const mail = mails.make(call, {
    ...{ ...draft, vendorId: vendorId ?? null, userId: userId ?? null, attachmentName: attachment?.fileName ?? null },
    ...{ status: 'queued', attempts: 0, nextAttemptAt: call.now.toISOString() },
  })
  const place = getLinkEncryptionContext(call.organizationId, mail.id)
  return {
    ...mail,
    // PostgreSQL converts this format to bytes.
    attachment: attachment === null ? null : `\\x${attachment.bytes.toString('hex')}`,
    homeOwnerId: homeOwnerId ?? null,
    sealedLink: link === null ? null : createVault(call.services.config.encryptionKey).seal(link, place),
    replyToken: null,
  }
}
