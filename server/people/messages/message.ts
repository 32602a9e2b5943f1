import type { FieldError, MessageCreate } from '../../../client/contract.gen.ts'

/** A message names everybody whom it went to, so there is a bound. */
export const MOST_RECIPIENTS = 200

/** Somebody of the organization, as far as a message is concerned. */
export interface Person {
  id: string
  name: string
  role: string
  status: string
}

/** Those whom a message goes to, each once: the named ones first. */
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
