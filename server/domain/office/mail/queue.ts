import type { MailKind, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { vault } from '../../../platform/encryption/vault.ts'
import type { Values } from '../../../platform/values/placeholders.ts'
import { letterOf } from '../message-templates/letter.ts'
import { wordingsOf } from '../message-templates/queries.ts'
import { sandboxOf } from '../organizations/sandboxes.ts'
import { LINK, placeOfLink } from './link.ts'
import * as mails from './queries.ts'

/** A mail to send to each address of one recipient. */
export interface Letter {
  kind: MailKind & MessageTemplateKind
  to: readonly string[]
  vendorId?: string
  userId?: string
  /** ID of the record that the mail is about. */
  aboutId: string
  values: Values
  /** The portal link to include, if the caller has one. */
  link?: string | null
}

/** Returns whether the deployment sends mail. Ask this before reading anything only for a mail. */
export function sendsMail({ surroundings }: Pick<WriteCall, 'surroundings'>): boolean {
  return surroundings.config.mail !== null
}

/** Returns whether a mail to a vendor's addresses is sent: only with a mail server, and not from a sandbox. */
export async function reachesVendor(call: WriteCall, to: readonly string[]): Promise<boolean> {
  return sendsMail(call) && to.length > 0 && (await sandboxOf(call.db, call.organizationId)) === undefined
}

/**
 * Puts mails into the outbox, in the transaction of the change that they report, so that both are committed or neither.
 * Does nothing without a mail server.
 */
export async function queueLetters(call: WriteCall, given: readonly Letter[]): Promise<void> {
  if (!sendsMail(call) || given.length === 0) return
  // The vendors of a sandbox are fictional, or do not know of it.
  const isSandbox = (await sandboxOf(call.db, call.organizationId)) !== undefined
  const letters = isSandbox ? given.filter(({ userId }) => userId !== undefined) : given
  if (letters.length === 0) return
  const wordings = await wordingsOf(
    call,
    letters.map(({ kind }) => kind),
  )
  const rows = letters.flatMap(({ kind, to, vendorId, userId, aboutId, values, link = null }) => {
    const named = {
      'builder.name': call.principal.organization.name,
      ...values,
      portalUrl: link === null ? null : LINK,
    }
    const letter = letterOf(wordings[kind], named)
    return to.map((address) => inOutbox(call, { kind, to: address, ...letter, vendorId, userId, aboutId, link }))
  })
  await mails.insertAll(call, rows)
}

/**
 * A mail to a user of the builder whose wording builders cannot change. Its text contains `LINK` where the link is
 * inserted.
 */
export interface OwnLetter {
  kind: Exclude<MailKind, MessageTemplateKind>
  to: string
  userId: string
  subject: string
  text: string
  link: string
}

/** Puts such a mail into the outbox. Does nothing without a mail server. */
export async function queueOwnLetter(call: WriteCall, letter: OwnLetter): Promise<void> {
  if (sendsMail(call)) await mails.insertAll(call, [inOutbox(call, { ...letter, aboutId: letter.userId })])
}

interface Outgoing {
  kind: MailKind
  to: string
  subject: string
  text: string
  vendorId?: string | undefined
  userId?: string | undefined
  aboutId: string
  link: string | null
}

function inOutbox(call: WriteCall, { vendorId, userId, link, ...letter }: Outgoing): mails.MailRow {
  const mail = mails.make(call, {
    ...{ ...letter, vendorId: vendorId ?? null, userId: userId ?? null },
    ...{ status: 'queued', attempts: 0, nextAttemptAt: call.now.toISOString() },
  })
  const place = placeOfLink(call.organizationId, mail.id)
  return { ...mail, sealedLink: link === null ? null : vault(call.surroundings.config.encryptionKey).seal(link, place) }
}
