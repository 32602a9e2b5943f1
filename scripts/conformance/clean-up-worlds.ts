import type { Operation } from '../../server/platform/calls/contract.ts'
import { toOperationKeyPath } from './describe-response-errors.ts'
import { findBodySchema } from './operation-kinds.ts'
import { findCreatedPrefix, findIdPrefix, listOperationsByPrefix } from './resource-ids.ts'
import { contract, listEntriesAtPath } from './walked-contract.ts'
import type { World } from './world.ts'

/**
 * Removes everything that the worlds created. Archives or deletes resources if there is an operation for it. Sets other
 * resources to a final status; for example, cancels bid requests. Returns a line for each kind of resource that
 * remains.
 */
export async function cleanUpWorlds(worlds: readonly World[]): Promise<string[]> {
  const left = new Map<Operation, { ended: number; kept: number }>()
  for (const world of worlds) {
    await findIndirectRecords(world)
    const ended = await endRecords(world)
    for (const [prefix, operation] of world.made) {
      const { ended: others, kept } = left.get(operation) ?? { ended: 0, kept: 0 }
      const ids = world.idsOf(prefix)
      const gone = ids.filter((id) => ended.has(id)).length
      left.set(operation, { ended: others + gone, kept: kept + ids.length - gone })
    }
  }
  return [...left].flatMap(([operation, { ended, kept }]) => {
    const { id, path } = operation
    const isDeletable = listOperationsByPrefix(findCreatedPrefix(operation) ?? '').some(
      ({ method }) => method === 'DELETE',
    )
    const lines = []
    if (kept > 0)
      lines.push(`${kept} records from ${id} cannot be deleted${path.includes('{') ? ', nor can their parents' : ''}`)
    if (ended > 0 && !isDeletable)
      lines.push(`${ended} records from ${id} were ended, because no operation deletes them`)
    return lines
  })
}

/**
 * Finds resources that were created indirectly, such as the purchase order of an accepted bid, through the record to
 * which they belong.
 */
async function findIndirectRecords(world: World): Promise<void> {
  for (const list of contract.operations.values()) {
    const [, kind] = [...world.made].find(([, { path }]) => path === list.path) ?? []
    if (list.method !== 'GET' || list.path.includes('{') || kind === undefined) continue
    const owner = (list.declaration.parameters ?? [])
      .map((declared) => contract.resolve(declared))
      .find(({ name, in: where }) => where === 'query' && world.made.has(findIdPrefix(name) ?? ''))?.name
    if (owner === undefined) continue
    for (const id of world.idsFor(owner)) {
      const { status, body } = await world.send(list, { address: `${list.path}?${owner}=${id}&limit=100` })
      if (status !== 200) continue
      // A filtered list may also include items that belong to no particular record.
      for (const item of body.data) if (item[owner] === id) world.remember(item.id)
    }
  }
}

async function endRecords(world: World): Promise<ReadonlySet<string>> {
  const ended = new Set<string>()
  const tryAll = async (endingsFor: (prefix: string) => Ending[]): Promise<void> => {
    // A resource that others use can be removed only after them, so the loop continues as long as it can remove
    // anything.
    for (let before = -1; before < ended.size; ) {
      before = ended.size
      for (const prefix of [...world.made.keys()].toReversed()) {
        const endings = endingsFor(prefix)
        for (const id of world.idsOf(prefix)) if (!ended.has(id) && (await tryEnding(world, endings, id))) ended.add(id)
      }
    }
  }
  // Deletes the resources that can be deleted. Changes a resource to a final status only if this makes the deletion
  // possible.
  await tryAll((prefix) => {
    const endings = listEndings(prefix)
    const deletions = endings.filter(({ operation }) => operation.method === 'DELETE')
    return deletions.length > 0 ? deletions : endings
  })
  await tryAll(listEndings)
  return ended
}

interface Ending {
  operation: Operation
  parameter: string
  body: unknown
}

async function tryEnding(world: World, endings: Ending[], id: string): Promise<boolean> {
  for (const { operation, parameter, body } of endings) {
    const response = await world.send(operation, { address: toAddress({ operation, parameter }, id), body })
    if (response.status >= 300 && response.status !== 404) continue
    // A resource that had to get a final status first can be deleted now.
    const [deletion] = endings.filter((other) => other.operation.method === 'DELETE' && other.operation !== operation)
    if (deletion !== undefined) await world.send(deletion.operation, { address: toAddress(deletion, id) })
    return true
  }
  return false
}

function toAddress({ operation, parameter }: Pick<Ending, 'operation' | 'parameter'>, id: string): string {
  return operation.path.replace(`{${parameter}}`, id)
}

/** Returns the operations that delete resources of this kind or set them to a final status. */
function listEndings(prefix: string): Ending[] {
  const endings: Ending[] = []
  for (const operation of contract.operations.values()) {
    const [, parameter, action] = /\{(\w+)\}(?:\/([\w-]+))?$/.exec(operation.path) ?? []
    if (parameter === undefined || findIdPrefix(parameter) !== prefix) continue
    if (operation.method === 'DELETE' && action === undefined) {
      endings.unshift({ operation, parameter, body: undefined })
      continue
    }
    if (operation.method !== 'POST' || action === undefined) continue
    const statuses = action === 'status' ? listStatuses(operation) : []
    if (FINAL_ACTIONS.includes(action))
      endings.push({ operation, parameter, body: operation.takesBody ? findExample(operation) : undefined })
    for (const status of FINAL_STATUSES.filter((final) => statuses.includes(final)))
      endings.push({ operation, parameter, body: { status, reason: 'Created by a conformance run.' } })
  }
  return endings
}

const FINAL_ACTIONS = ['cancel', 'withdraw', 'revoke', 'void']
const FINAL_STATUSES = ['cancelled', 'void', 'withdrawn', 'terminated', 'declined', 'rejected']

/** Returns the example body of the operation, such as the reason for canceling a resource. */
function findExample(operation: Operation): unknown {
  const [first] = listEntriesAtPath(
    ...toOperationKeyPath(operation),
    'requestBody',
    'content',
    'application/json',
    'examples',
  )
  return first?.[1].value ?? {}
}

function listStatuses(operation: Operation): string[] {
  const { properties } = contract.resolve(findBodySchema(operation) as object) as {
    properties?: Record<string, unknown>
  }
  const status = contract.resolve((properties?.status ?? {}) as object) as { enum?: string[] }
  return status.enum ?? []
}
