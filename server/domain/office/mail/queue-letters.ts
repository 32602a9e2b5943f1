import type { MailKind, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createVault } from '../../../platform/encryption/vault.ts'
import type { PlaceholderValues } from '../../../platform/values/placeholders.ts'
import { writeLetter } from '../message-templates/letter.ts'
import { findWordings } from '../message-templates/queries.ts'
import { findSandbox } from '../organizations/sandboxes.ts'
import { LINK_PLACEHOLDER, linkSealContext } from './mail-link.ts'
import * as mails from './queries.ts'

/** A mail to send to each address of one recipient. */
export interface Letter {
  kind: MailKind & MessageTemplateKind
  to: readonly string[]
  vendorId?: string
  userId?: string
  /** ID of the record that the mail is about. */
  aboutId: string
  values: PlaceholderValues
  /** The portal link to include, if the caller has one. */
  link?: string | null
}

/** Returns whether the deployment sends mail. Ask this before reading anything only for a mail. */
export function canSendMail({ services }: Pick<WriteCall, 'services'>): boolean {
  return services.config.mail !== null
}

/** Returns whether a mail to a vendor's addresses is sent: only with a mail server, and not from a sandbox. */
export async function canReachVendor(call: WriteCall, to: readonly string[]): Promise<boolean> {
  return canSendMail(call) && to.length > 0 && (await findSandbox(call.db, call.organizationId)) === undefined
}

/**
 * Puts mails into the outbox, in the transaction of the change that they report, so that both are committed or neither.
 * Does nothing without a mail server.
 */
export async function queueLetters(call: WriteCall, provided: readonly Letter[]): Promise<void> {
  if (!canSendMail(call) || provided.length === 0) return
  // The vendors of a sandbox are fictional, or do not know of it.
  const isSandbox = (await findSandbox(call.db, call.organizationId)) !== undefined
  const letters = isSandbox ? provided.filter(({ userId }) => userId !== undefined) : provided
  if (letters.length === 0) return
  const wordings = await findWordings(
    call,
    letters.map(({ kind }) => kind),
  )
  const rows = letters.flatMap(({ kind, to, vendorId, userId, aboutId, values, link = null }) => {
    const named = {
      'builder.name': call.principal.organization.name,
      ...values,
      portalUrl: link === null ? null : LINK_PLACEHOLDER,
    }
    const letter = writeLetter(wordings[kind], named)
    return to.map((address) => toMailRow(call, { kind, to: address, ...letter, vendorId, userId, aboutId, link }))
  })
  await mails.insertMails(call, rows)
}

/**
 * A mail to a user of the builder whose wording builders cannot change. Its text contains `LINK_PLACEHOLDER` where the link is
 * inserted.
 */
export interface InternalLetter {
  kind: Exclude<MailKind, MessageTemplateKind>
  to: string
  userId: string
  subject: string
  text: string
  link: string
}

/** Puts such a mail into the outbox. Does nothing without a mail server. */
export async function queueInternalLetter(call: WriteCall, letter: InternalLetter): Promise<void> {
  if (canSendMail(call)) await mails.insertMails(call, [toMailRow(call, { ...letter, aboutId: letter.userId })])
}

interface OutgoingLetter {
  kind: MailKind
  to: string
  subject: string
  text: string
  vendorId?: string | undefined
  userId?: string | undefined
  aboutId: string
  link: string | null
}

function toMailRow(call: WriteCall, { vendorId, userId, link, ...letter }: OutgoingLetter): mails.MailRow {
  const mail = mails.make(call, {
    ...{ ...letter, vendorId: vendorId ?? null, userId: userId ?? null },
    ...{ status: 'queued', attempts: 0, nextAttemptAt: call.now.toISOString() },
  })
  const place = linkSealContext(call.organizationId, mail.id)
  return {
    ...mail,
    sealedLink: link === null ? null : createVault(call.services.config.encryptionKey).seal(link, place),
  }
}
