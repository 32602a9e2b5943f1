import type { MailKind, MessageTemplateKind } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { vault } from '../../../platform/encryption/vault.ts'
import type { Values } from '../../../platform/values/placeholders.ts'
import { letterOf } from '../message-templates/letter.ts'
import { wordingsOf } from '../message-templates/queries.ts'
import { sandboxOf } from '../organizations/sandboxes.ts'
import { LINK, placeOfLink } from './link.ts'
import * as mails from './queries.ts'

/** Something to be mailed to somebody, to each of their addresses. */
export interface Letter {
  kind: MailKind & MessageTemplateKind
  to: readonly string[]
  vendorId?: string
  userId?: string
  /** The id of what it carries. */
  aboutId: string
  values: Values
  /** The address in the portal that it leads to, if the caller has one for it. */
  link?: string | null
}

/** Whether anything leaves by e-mail. Whoever has to read something only to mail it asks first. */
export function sendsMail({ surroundings }: Pick<WriteCall, 'surroundings'>): boolean {
  return surroundings.config.mail !== null
}

/** Whether a letter to a vendor's addresses leaves: not without a mail server, and not from a sandbox. */
export async function reachesVendor(call: WriteCall, to: readonly string[]): Promise<boolean> {
  return sendsMail(call) && to.length > 0 && (await sandboxOf(call.db, call.organizationId)) === undefined
}

/**
 * Puts letters into the outbox, in the transaction of what they tell, so that one leaves if and only if the other is
 * committed. Without a mail server this does nothing.
 */
export async function queueLetters(call: WriteCall, given: readonly Letter[]): Promise<void> {
  if (!sendsMail(call) || given.length === 0) return
  // The vendors of a sandbox are made up, or know nothing of it.
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

/** A mail to one of the builder's own people that is worded by Plumbline alone; its text holds `LINK` where that goes. */
export interface OwnLetter {
  kind: Exclude<MailKind, MessageTemplateKind>
  to: string
  userId: string
  subject: string
  text: string
  link: string
}

/** Puts such a mail into the outbox. Without a mail server this does nothing. */
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
