import type { FieldError, Message, MessageCreate, MessageSubjectType } from '../../../client/contract.gen.ts'

/** A message lists everybody it went to, so their number is bounded. */
export const MOST_RECIPIENTS = 200

/** What a message needs to know about a member of the organization. */
export interface Person {
  id: string
  name: string
  email: string
  role: string
  status: string
}

/** Whoever a message goes to. */
export interface Addressee {
  type: 'user' | 'vendor'
  id: string
  name: string
  /** Where it goes when it leaves by e-mail. */
  addresses: readonly string[]
  /** Why nothing can be sent to them any more; null if it can. */
  gone: 'disabled' | 'archived' | null
}

export function asAddressee({ id, name, email, status }: Person): Addressee {
  return { type: 'user', id, name, addresses: [email], gone: status === 'disabled' ? 'disabled' : null }
}

/** The people who have one of the roles now, without those who are disabled. */
export function holdersOf(roles: readonly string[], people: readonly Person[]): Addressee[] {
  return people.filter(({ role, status }) => roles.includes(role) && status !== 'disabled').map(asAddressee)
}

type Named = NonNullable<MessageCreate['recipients']>[number]

/** Everybody who has a part in a message, except whoever answers it: its sender, and those it went to. */
export function partakersOf({ sender, recipients }: Pick<Message, 'sender' | 'recipients'>, answering: string | null) {
  const all = [sender, ...recipients].flatMap(({ type, id }): Named[] =>
    (type === 'user' || type === 'vendor') && id !== null && id !== answering ? [{ type, id }] : [],
  )
  return all.filter(({ id }, i) => all.findIndex((other) => other.id === id) === i)
}

export function faultsOf({ recipients, recipientRoles, inReplyToId }: MessageCreate): FieldError[] {
  return recipients === undefined && recipientRoles === undefined && (inReplyToId ?? null) === null
    ? [{ pointer: '/recipients', code: 'required', message: 'is required unless recipientRoles or inReplyToId is set' }]
    : []
}

/** What a caller needs to say that a message is about a record, because it then learns that there is one. */
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
