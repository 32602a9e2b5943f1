import type { OperationObject } from './contract.ts'

interface Described {
  description?: string
  permissions: readonly string[]
  /** The events that it may record; undefined if not declared, as for a skill made of several operations. */
  emits?: readonly string[]
  writes: boolean
}

/**
 * Returns the description of an operation, followed by facts that the contract declares elsewhere: the required
 * permissions, and what it changes or records. If the description covers these itself, only missing names are added.
 */
export function descriptionOf(operation: Described): string {
  const { description = '' } = operation
  const facts = (/\bNeeds\b/.test(description) ? unnamed : all)(operation).join('; ')
  return [description, facts && `${facts.charAt(0).toUpperCase()}${facts.slice(1)}.`].filter(Boolean).join(' ')
}

function all({ permissions, emits, writes }: Described): string[] {
  const needed = permissions.length > 0 ? permissions.join(' and ') : 'no permission'
  if (emits === undefined) return [`needs ${needed}`]
  const effect = emits.length > 0 ? `emits ${emits.join(', ')}` : writes ? 'emits nothing' : 'changes nothing'
  return [`needs ${needed}`, effect]
}

function unnamed({ description = '', permissions, emits = [] }: Described): string[] {
  const needed = permissions.filter((permission) => !description.includes(permission))
  const emitted = emits.filter((type) => !description.includes(type))
  return [
    ...(needed.length > 0 ? [`needs ${needed.join(' and ')}`] : []),
    ...(emitted.length > 0 ? [`emits ${emitted.join(', ')}`] : []),
  ]
}

/** Returns an operation of the document with that description. */
export function described(method: string, operation: OperationObject): OperationObject {
  const permissions = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat())
  const { 'x-emits': emits = [] } = operation
  return { ...operation, description: descriptionOf({ ...operation, permissions, emits, writes: method !== 'get' }) }
}
