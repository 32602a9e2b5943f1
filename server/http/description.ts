import type { OperationObject } from './contract.ts'

interface Described {
  description?: string
  permissions: readonly string[]
  emits: readonly string[]
}

/**
 * What is written about an operation, and behind it what the contract says apart from prose: the permissions that it
 * needs and the events that it emits. What the prose names already is not said again.
 */
export function descriptionOf({ description = '', permissions, emits }: Described): string {
  const needed = permissions.filter((permission) => !description.includes(permission))
  const emitted = emits.filter((type) => !description.includes(type))
  const facts = [
    ...(needed.length > 0 ? [`needs ${needed.join(' and ')}`] : []),
    ...(emitted.length > 0 ? [`emits ${emitted.join(', ')}`] : []),
  ].join('; ')
  return [description, facts && `${facts.charAt(0).toUpperCase()}${facts.slice(1)}.`].filter(Boolean).join(' ')
}

/** An operation of the document with that description. */
export function described(operation: OperationObject): OperationObject {
  const permissions = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat())
  return { ...operation, description: descriptionOf({ ...operation, permissions, emits: operation['x-emits'] ?? [] }) }
}
