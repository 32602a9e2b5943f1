import type { FieldError, MessageCreate } from '../../../client/contract.gen.ts'

/** A message lists everybody it went to, so their number is bounded. */
export const MOST_RECIPIENTS = 200

/** What a message needs to know about a member of the organization. */
export interface Person {
  id: string
  name: string
  role: string
  status: string
}

/** The people a message goes to, each once, those named explicitly first. */
export function recipientsOf(
  { recipients = [], recipientRoles = [] }: Pick<MessageCreate, 'recipients' | 'recipientRoles'>,
  people: readonly Person[],
): Person[] {
  const named = recipients.flatMap(({ id }) => people.find((person) => person.id === id) ?? [])
  const roles = new Set<string>(recipientRoles)
  return [...new Set([...named, ...people.filter(({ role, status }) => roles.has(role) && status !== 'disabled')])]
}

export function faultsOf({ recipients, recipientRoles }: MessageCreate): FieldError[] {
  return recipients === undefined && recipientRoles === undefined
    ? [{ pointer: '/recipients', code: 'required', message: 'is required, or else recipientRoles' }]
    : []
}
