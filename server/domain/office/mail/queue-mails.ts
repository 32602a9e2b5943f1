import type { MailKind, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'
import type { PlaceholderValues } from '../../../platform/values/placeholders.ts'
import { findWordings } from '../message-templates/queries.ts'
import { renderMail } from '../message-templates/render-mail.ts'
import { findSandbox } from '../organizations/sandboxes.ts'
import { getLinkEncryptionContext, toLinkValues } from './mail-link.ts'
import * as mails from './queries.ts'
import { issueReplyTokens } from './reply-addresses.ts'

/** An email to send to each address of one recipient. */
export interface OutgoingMail {
  kind: MailKind & MessageTemplateKind
  to: readonly string[]
  vendorId?: string
  userId?: string
  homeOwnerId?: string
  /** ID of the record that the email is about. */
  aboutId: string
  values: PlaceholderValues
  /** The portal link to include, if the caller has a link. */
  link?: string | null
  /** ID of the invitation or message that a vendor's reply belongs to. Other replies go directly to the builder. */
  replySubjectId?: string
}

/** Returns whether the deployment sends email. Call this before reading data that only an email needs. */
export function canSendMail({ services }: Pick<WriteCall, 'services'>): boolean {
  return services.config.mail !== null
}

/**
 * Returns whether the service sends email to the addresses of a vendor or home owner. Requires a mail server, and is
 * never true in a sandbox.
 */
export async function canReach(call: WriteCall, recipients: readonly string[]): Promise<boolean> {
  return canSendMail(call) && recipients.length > 0 && (await findSandbox(call.db, call.organizationId)) === undefined
}

/**
 * Puts emails into the outbox, in the transaction of the change that the emails report, so that both or neither are
 * committed. Does nothing without a mail server.
 */
export async function queueMails(call: WriteCall, provided: readonly OutgoingMail[]): Promise<void> {
  if (!canSendMail(call) || provided.length === 0) return
  // The vendors of a sandbox are fictional, or do not know about the sandbox.
  const isSandbox = (await findSandbox(call.db, call.organizationId)) !== undefined
  const outgoing = isSandbox ? provided.filter(({ userId }) => userId !== undefined) : provided
  if (outgoing.length === 0) return
  const wordings = await findWordings(
    call,
    outgoing.map(({ kind }) => kind),
  )
  const rows = outgoing.flatMap(({ link = null, replySubjectId, values, to, ...mail }) => {
    const named = {
      'builder.name': call.principal.organization.name,
      ...values,
      ...toLinkValues(link),
    }
    const written = renderMail(wordings[mail.kind], named)
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
 * Email to a user, vendor, or home owner with a text that builders cannot change. The text of the email contains
 * `LINK_PLACEHOLDER` where the link is inserted.
 */
export interface InternalMail {
  kind: Exclude<MailKind, MessageTemplateKind>
  to: string
  /** User who receives the email. Not set for a vendor or home owner. */
  userId?: string
  /** The vendor that receives the email; absent for others. */
  vendorId?: string
  /** ID of the record that the email is about. */
  aboutId: string
  subject: string
  text: string
  /** The link of `LINK_PLACEHOLDER`; null for a text without it. */
  link: string | null
  /** The attached file; absent or null without one. */
  attachment?: { fileName: string; bytes: Buffer } | null
}

/** Puts an internal email into the outbox. Does nothing without a mail server. */
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
    // The form in which PostgreSQL reads bytes from JSON.
    attachment: attachment === null ? null : `\\x${attachment.bytes.toString('hex')}`,
    homeOwnerId: homeOwnerId ?? null,
    sealedLink: link === null ? null : createVault(call.services.config.encryptionKey).seal(link, place),
    replyToken: null,
  }
}
