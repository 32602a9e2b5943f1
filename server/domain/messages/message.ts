import type { FieldError, Message, MessageCreate, MessageSubjectType } from '../../../client/contract.gen.ts'

/** A message lists all its recipients, so their number is limited. */
export const MAX_RECIPIENTS = 200

/** The fields of a user that messages need. */
export interface MessageUser {
  id: string
  name: string
  email: string
  role: string
  status: string
}

/** A recipient of a message. */
export interface Addressee {
  type: NamedRecipient['type']
  id: string
  name: string
  /** Email addresses, if the message is emailed. */
  addresses: readonly string[]
  /** The reason that the recipient can no longer receive messages; null if there is no reason. */
  gone: 'disabled' | 'archived' | null
}

export function toAddressee({ id, name, email, status }: MessageUser): Addressee {
  return { type: 'user', id, name, addresses: [email], gone: status === 'disabled' ? 'disabled' : null }
}

/** Returns the users with one of the roles, except deactivated users. */
export function listRoleHolders(roles: readonly string[], people: readonly MessageUser[]): Addressee[] {
  return people.filter(({ role, status }) => roles.includes(role) && status !== 'disabled').map(toAddressee)
}

export type NamedRecipient = NonNullable<MessageCreate['recipients']>[number]

/** Returns all participants in a message, its sender and recipients, except the user who replies. */
export function listParticipants(
  { sender, recipients }: Pick<Message, 'sender' | 'recipients'>,
  answering: string | null,
) {
  const all = [sender, ...recipients].flatMap(({ type, id }): NamedRecipient[] =>
    (type === 'user' || type === 'vendor' || type === 'home_owner') && id !== null && id !== answering
      ? [{ type, id }]
      : [],
  )
  return all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)
}

export function findMessageErrors({ recipients, recipientRoles, inReplyToId }: MessageCreate): FieldError[] {
  return recipients === undefined && recipientRoles === undefined && (inReplyToId ?? null) === null
    ? [{ pointer: '/recipients', code: 'required', message: 'is required unless recipientRoles or inReplyToId is set' }]
    : []
}

/** The permission needed to link a message to a record, because doing so reveals that the record exists. */
export const SUBJECT_PERMISSIONS: Readonly<Record<MessageSubjectType, string>> = {
  vendor: 'vendors:read',
  community: 'communities:read',
  home: 'homes:read',
  bid_request: 'bids:read',
  bid: 'bids:read',
  contract: 'contracts:read',
  task: 'tasks:read',
  milestone: 'milestones:read',
  purchase_order: 'pos:read',
  webhook: 'webhooks:read',
}
