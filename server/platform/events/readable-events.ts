import type { Permission } from '../../../client/contract.gen.ts'
import type { Call } from '../calls/call.ts'
import type { Contract } from '../calls/contract.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Who may see which events. An event contains a record, so only callers who may read such records see it: in the list
 * of events, in the result of a skill or its dry run, and in the deliveries of a subscription. The contract declares
 * the permission of each event, and every check uses this file.
 */

interface EventPermissions {
  /** The permission for each type of event. */
  byType: ReadonlyMap<string, Permission>
  /** The permissions for reading a record, by its ID prefix. */
  byPrefix: ReadonlyMap<string, readonly string[]>
}

const permissionsByContract = new WeakMap<Contract, EventPermissions>()

function eventPermissionsOf(contract: Contract): EventPermissions {
  let reading = permissionsByContract.get(contract)
  if (reading === undefined) {
    reading = { byType: permissionsByType(contract), byPrefix: permissionsByPrefix(contract) }
    permissionsByContract.set(contract, reading)
  }
  return reading
}

function permissionsByType({ document }: Contract): Map<string, Permission> {
  const declared = Object.entries(document.webhooks ?? {}) as [string, { post: { 'x-permission': Permission } }][]
  return new Map(declared.map(([type, { post }]) => [type, post['x-permission']]))
}

// Each record has an operation that reads it by ID, and that parameter's example starts with the prefix of all its IDs.
function permissionsByPrefix(contract: Contract): Map<string, readonly string[]> {
  const prefixes = new Map<string, readonly string[]>()
  for (const { method, path, permissions, declaration } of contract.operations.values()) {
    const name = /\{(\w+)\}$/.exec(path)?.[1]
    if (method !== 'GET' || name === undefined || permissions.length === 0) continue
    const parameter = (declaration.parameters ?? [])
      .map((declared) => contract.resolve(declared) as { name: string; example?: unknown })
      .find((declared) => declared.name === name)
    const prefix = idPrefixOf(String(parameter?.example ?? ''))
    if (prefix !== null) prefixes.set(prefix, permissions)
  }
  return prefixes
}

function idPrefixOf(id: string): string | null {
  return /^([a-z]+)_/.exec(id)?.[1] ?? null
}

/** Returns the permission needed to see events of this type. */
export function permissionForType(contract: Contract, type: string): Permission {
  const permission = eventPermissionsOf(contract).byType.get(type)
  if (permission === undefined) throw new Error(`Expected the contract to declare the permission for reading ${type}.`)
  return permission
}

export function canReadType({ services, permissions }: Call, type: string): boolean {
  return permissions.has(permissionForType(services.contract, type))
}

/** Returns the event types that the caller may see; null if all, so that no filter is needed. */
export function listReadableTypes(call: Call): string[] | null {
  const types = [...eventPermissionsOf(call.services.contract).byType.keys()]
  const readable = types.filter((type) => canReadType(call, type))
  return readable.length === types.length ? null : readable
}

/** Throws `permission_denied` unless the caller may read the record with this ID, if there is one. */
export function assertCanRead({ services, permissions }: Call, id: string): void {
  const needed = eventPermissionsOf(services.contract).byPrefix.get(idPrefixOf(id) ?? '') ?? []
  const missing = needed.find((permission) => !permissions.has(permission))
  if (missing === undefined) return
  throw new Problem('permission_denied', `Reading the history of ${id} requires ${missing}.`, { permission: missing })
}
