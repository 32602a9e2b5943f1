import type { Permission } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import type { Contract } from '../http/contract.ts'
import { Problem } from '../http/problem.ts'

/**
 * Who may see which events. An event shows a record, so that it is seen by those who may read such records and by nobody
 * else: in the list of events, in what a skill did or would have done, in the deliveries of a subscription, and at its
 * receiver. The contract says with each event which permission that is, and everything asks here.
 */

interface Reading {
  /** What each type of event asks for. */
  byType: ReadonlyMap<string, Permission>
  /** What reading a record asks for, by the prefix of its id. */
  byPrefix: ReadonlyMap<string, readonly string[]>
}

const readings = new WeakMap<Contract, Reading>()

function readingOf(contract: Contract): Reading {
  let reading = readings.get(contract)
  if (reading === undefined) {
    reading = { byType: permissionsByType(contract), byPrefix: permissionsByPrefix(contract) }
    readings.set(contract, reading)
  }
  return reading
}

function permissionsByType({ document }: Contract): Map<string, Permission> {
  const declared = Object.entries(document.webhooks ?? {}) as [string, { post: { 'x-permission': Permission } }][]
  return new Map(declared.map(([type, { post }]) => [type, post['x-permission']]))
}

// Each record has an operation that reads it by its id, and the example of that parameter begins as all of its ids do.
function permissionsByPrefix(contract: Contract): Map<string, readonly string[]> {
  const prefixes = new Map<string, readonly string[]>()
  for (const { method, path, permissions, declaration } of contract.operations.values()) {
    const name = /\{(\w+)\}$/.exec(path)?.[1]
    if (method !== 'GET' || name === undefined || permissions.length === 0) continue
    const parameter = (declaration.parameters ?? [])
      .map((declared) => contract.resolve(declared) as { name: string; example?: unknown })
      .find((declared) => declared.name === name)
    const prefix = prefixOf(String(parameter?.example ?? ''))
    if (prefix !== null) prefixes.set(prefix, permissions)
  }
  return prefixes
}

function prefixOf(id: string): string | null {
  return /^([a-z]+)_/.exec(id)?.[1] ?? null
}

/** The permission without which nobody sees events of this type. */
export function permissionOf(contract: Contract, type: string): Permission {
  const permission = readingOf(contract).byType.get(type)
  if (permission === undefined) throw new Error(`The contract does not say who may read ${type}.`)
  return permission
}

export function mayRead({ surroundings, permissions }: Call, type: string): boolean {
  return permissions.has(permissionOf(surroundings.contract, type))
}

/** The types whose events the caller may see; null where these are all of them, and nothing has to be left out. */
export function readableTypes(call: Call): string[] | null {
  const types = [...readingOf(call.surroundings.contract).byType.keys()]
  const readable = types.filter((type) => mayRead(call, type))
  return readable.length === types.length ? null : readable
}

/** Throws `permission_denied` unless the caller may read the record that has this id, if there is one. */
export function permitReading({ surroundings, permissions }: Call, id: string): void {
  const needed = readingOf(surroundings.contract).byPrefix.get(prefixOf(id) ?? '') ?? []
  const missing = needed.find((permission) => !permissions.has(permission))
  if (missing === undefined) return
  throw new Problem('permission_denied', `To see how ${id} moved one needs ${missing}.`, { permission: missing })
}
