import type {
  FieldError,
  Message,
  MessageCreate,
  MessageSubjectType,
  VendorLanguage,
} from '../../../client/contract.gen.ts'

/** A message contains all of its recipients, so their number is limited. */
export const MAX_RECIPIENTS = 200

/** The fields of a user that messages use. */
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
  /** The email addresses, if the message is sent by email. */
  addresses: readonly string[]
  /** The language of a vendor; null for other recipients and for a vendor without a language. */
  language: VendorLanguage | null
  /** The reason why the recipient can no longer receive messages; null if there is none. */
  gone: 'disabled' | 'archived' | null
}

export function toAddressee({ id, name, email, status }: MessageUser): Addressee {
  const gone = status === 'disabled' ? 'disabled' : null
  return { type: 'user', id, name, addresses: [email], language: null, gone }
}

/** Returns the users who have one of the roles, except deactivated users. */
export function listRoleHolders(roles: readonly string[], people: readonly MessageUser[]): Addressee[] {
  return people.filter(({ role, status }) => roles.includes(role) && status !== 'disabled').map(toAddressee)
}

export type NamedRecipient = NonNullable<MessageCreate['recipients']>[number]

/** Returns the sender and the recipients of a message, except the user who replies. */
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

/**
 * The permission for linking a message to a record of each type. Without it, a caller could find out whether a record
 * exists.
 */
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
