import type { Operation } from '../../server/http/contract.ts'
import { contract } from './contract.ts'
import { kindOf, operationsOn, prefixOf, schemaOfBody, type World } from './world.ts'

/**
 * Takes away what worlds have made: archives or deletes whatever has an operation for that, and ends what has none, such as
 * a bid request. Answers a line for each kind of which something stays behind.
 */
export async function cleanUp(worlds: readonly World[]): Promise<string[]> {
  const left = new Map<Operation, { ended: number; kept: number }>()
  for (const world of worlds) {
    await findWhatCameAbout(world)
    const ended = await endAll(world)
    for (const [prefix, operation] of world.made) {
      const { ended: others, kept } = left.get(operation) ?? { ended: 0, kept: 0 }
      const ids = world.idsOf(prefix)
      const gone = ids.filter((id) => ended.has(id)).length
      left.set(operation, { ended: others + gone, kept: kept + ids.length - gone })
    }
  }
  return [...left].flatMap(([operation, { ended, kept }]) => {
    const { id, path } = operation
    const isDeletable = operationsOn(kindOf(operation) ?? '').some(({ method }) => method === 'DELETE')
    const lines = []
    if (kept > 0) lines.push(`${kept} made by ${id} stay${path.includes('{') ? ', with what they belong to' : ''}`)
    if (ended > 0 && !isDeletable) lines.push(`${ended} made by ${id} are ended; nothing deletes them`)
    return lines
  })
}

/** Finds what was not created but came about, such as the purchase order of an accepted bid, by what it belongs to. */
async function findWhatCameAbout(world: World): Promise<void> {
  for (const list of contract.operations.values()) {
    const [, kind] = [...world.made].find(([, { path }]) => path === list.path) ?? []
    if (list.method !== 'GET' || kind === undefined) continue
    const owner = (list.declaration.parameters ?? [])
      .map((declared) => contract.resolve(declared))
      .find(({ name, in: where }) => where === 'query' && world.made.has(prefixOf(name) ?? ''))?.name
    if (owner === undefined) continue
    for (const id of world.idsFor(owner)) {
      const { status, body } = await world.send(list, { address: `${list.path}?${owner}=${id}&limit=100` })
      if (status !== 200) continue
      // A filter may also show what is for everybody.
      for (const item of body.data) if (item[owner] === id) world.remember(item.id)
    }
  }
}

async function endAll(world: World): Promise<ReadonlySet<string>> {
  const ended = new Set<string>()
  const tryAll = async (endingsFor: (prefix: string) => Ending[]): Promise<void> => {
    // What is in use by something else goes after that, so everything is tried as long as something goes.
    for (let before = -1; before < ended.size; ) {
      before = ended.size
      for (const prefix of [...world.made.keys()].toReversed()) {
        const endings = endingsFor(prefix)
        for (const id of world.idsOf(prefix)) if (!ended.has(id) && (await isEnded(world, endings, id))) ended.add(id)
      }
    }
  }
  // What can be deleted is not merely ended, unless that is what keeps it.
  await tryAll((prefix) => {
    const endings = endingsOf(prefix)
    const deletions = endings.filter(({ operation }) => operation.method === 'DELETE')
    return deletions.length > 0 ? deletions : endings
  })
  await tryAll(endingsOf)
  return ended
}

interface Ending {
  operation: Operation
  parameter: string
  body: unknown
}

async function isEnded(world: World, endings: Ending[], id: string): Promise<boolean> {
  for (const { operation, parameter, body } of endings) {
    const answer = await world.send(operation, { address: operation.path.replace(`{${parameter}}`, id), body })
    if (answer.status < 300 || answer.status === 404) return true
  }
  return false
}

/** The operations that remove a thing of this kind, or end it for good. */
function endingsOf(prefix: string): Ending[] {
  const endings: Ending[] = []
  for (const operation of contract.operations.values()) {
    const [, parameter, action] = /\{(\w+)\}(?:\/([\w-]+))?$/.exec(operation.path) ?? []
    if (parameter === undefined || prefixOf(parameter) !== prefix) continue
    if (operation.method === 'DELETE' && action === undefined) {
      endings.unshift({ operation, parameter, body: undefined })
      continue
    }
    if (operation.method !== 'POST' || action === undefined) continue
    const statuses = action === 'status' ? statusesOf(operation) : []
    const status = FINAL_STATUSES.find((final) => statuses.includes(final))
    if (FINAL_ACTIONS.includes(action))
      endings.push({ operation, parameter, body: operation.takesBody ? {} : undefined })
    if (status !== undefined)
      endings.push({ operation, parameter, body: { status, reason: 'Made by a conformance run.' } })
  }
  return endings
}

const FINAL_ACTIONS = ['cancel', 'withdraw']
const FINAL_STATUSES = ['cancelled', 'void', 'withdrawn']

function statusesOf(operation: Operation): string[] {
  const { properties } = contract.resolve(schemaOfBody(operation) as object) as { properties?: Record<string, unknown> }
  const status = contract.resolve((properties?.status ?? {}) as object) as { enum?: string[] }
  return status.enum ?? []
}
