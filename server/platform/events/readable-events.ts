import type { Permission } from '../../../client/contract.gen.ts'
import type { Call } from '../calls/call.ts'
import type { Contract } from '../calls/contract.ts'
import { Problem } from '../problems/problem.ts'

/**
 * Determines which events a caller can see. An event contains a record, so only callers who may read such records can
 * see it. This applies to the event list, to the results of skills and dry runs, and to the deliveries of a
 * subscription. The contract defines the permission of each event, and all checks use this file.
 */

interface EventPermissions {
  /** The permission that each event type requires. */
  byType: ReadonlyMap<string, Permission>
  /** The permissions for reading a record, by the prefix of its ID. */
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

// Each type of record has an operation that returns a record by ID. The example of its ID parameter shows the prefix.
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

/** Returns the permission that is required to see events of this type. */
export function getEventPermission(contract: Contract, type: string): Permission {
  const permission = eventPermissionsOf(contract).byType.get(type)
  if (permission === undefined) throw new Error(`Expected the contract to declare the permission for reading ${type}.`)
  return permission
}

export function canReadEventType({ services, permissions }: Call, type: string): boolean {
  return permissions.has(getEventPermission(services.contract, type))
}

/** Returns the event types that the caller can see; null for all types. */
export function listReadableEventTypes(call: Call): string[] | null {
  const types = [...eventPermissionsOf(call.services.contract).byType.keys()]
  const readable = types.filter((type) => canReadEventType(call, type))
  return readable.length === types.length ? null : readable
}

/**
 * Throws `permission_denied` if the caller may not read the type of record to which this ID belongs. Does nothing if
 * the prefix is unknown.
 */
export function assertCanReadRecord({ services, permissions }: Call, id: string): void {
  const needed = eventPermissionsOf(services.contract).byPrefix.get(idPrefixOf(id) ?? '') ?? []
  const missing = needed.find((permission) => !permissions.has(permission))
  if (missing === undefined) return
  throw new Problem('permission_denied', `Reading the history of ${id} requires ${missing}.`, { permission: missing })
}
