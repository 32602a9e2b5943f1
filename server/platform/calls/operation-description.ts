import type { OperationObject } from './contract.ts'

interface DescribedOperation {
  description?: string
  permissions: readonly string[]
  /**
   * The events that the operation can record; undefined if they are not declared, for example for a composite skill.
   */
  emits?: readonly string[]
  writes: boolean
}

/**
 * Returns the description of an operation, followed by facts from other parts of the contract: the required
 * permissions, the changes, and the events. If the description already contains these facts, adds only the names that
 * are missing.
 */
export function describeOperation(operation: DescribedOperation): string {
  const { description = '' } = operation
  const facts = (/\bNeeds\b/.test(description) ? describeUnmentioned : describeDeclarations)(operation).join('; ')
  return [description, facts && `${facts.charAt(0).toUpperCase()}${facts.slice(1)}.`].filter(Boolean).join(' ')
}

function describeDeclarations({ permissions, emits, writes }: DescribedOperation): string[] {
  const needed = permissions.length > 0 ? permissions.join(' and ') : 'no permission'
  if (emits === undefined) return [`needs ${needed}`]
  const effect = emits.length > 0 ? `emits ${emits.join(', ')}` : writes ? 'emits nothing' : 'changes nothing'
  return [`needs ${needed}`, effect]
}

function describeUnmentioned({ description = '', permissions, emits = [] }: DescribedOperation): string[] {
  const needed = permissions.filter((permission) => !description.includes(permission))
  const emitted = emits.filter((type) => !description.includes(type))
  return [
    ...(needed.length > 0 ? [`needs ${needed.join(' and ')}`] : []),
    ...(emitted.length > 0 ? [`emits ${emitted.join(', ')}`] : []),
  ]
}

/** Returns an operation of the OpenAPI document with its complete description. */
export function addDescription(method: string, operation: OperationObject): OperationObject {
  const permissions = (operation.security ?? []).flatMap((requirement) => Object.values(requirement).flat())
  const { 'x-emits': emits = [] } = operation
  return {
    ...operation,
    description: describeOperation({ ...operation, permissions, emits, writes: method !== 'get' }),
  }
}
