import {
  type Contract,
  isForPrograms,
  type Operation,
  type Reference,
  type ResponseObject,
  type Schema,
} from '../../../platform/calls/contract.ts'

/**
 * The layout of the reference: a page for each tag with its operations. Each object in their responses is described on
 * exactly one page, and the other pages link to it.
 */
export interface Atlas {
  readonly contract: Contract
  /** The pages, in the order of the contract's tag groups. */
  readonly groups: readonly { readonly name: string; readonly rooms: readonly Room[] }[]
  roomNamed(slug: string): Room | undefined
  roomOf(operation: Operation): Room
  /**
   * The address of an object relative to the reference, such as `vendors#Vendor`; undefined for a schema that is not an
   * object.
   */
  objectAt(name: string): string | undefined
}

export interface Room {
  readonly tag: string
  /** The name in URLs, such as `bid-requests`. */
  readonly slug: string
  readonly description: string
  readonly operations: readonly Operation[]
  /** The names of the schemas whose fields this page describes. */
  readonly objects: string[]
}

const atlases = new WeakMap<Contract, Atlas>()

export function atlasOf(contract: Contract): Atlas {
  const known = atlases.get(contract)
  if (known !== undefined) return known
  const atlas = draw(contract)
  atlases.set(contract, atlas)
  return atlas
}

function draw(contract: Contract): Atlas {
  const { document } = contract
  const byTag = Map.groupBy([...contract.operations.values()].filter(isForPrograms), tagOf)
  const described = new Map((document.tags ?? []).map((tag: { name: string; description?: string }) => [tag.name, tag]))
  const groups = (document['x-tagGroups'] ?? []).flatMap(({ name, tags }) => {
    const rooms = tags.flatMap((tag): Room[] => {
      const operations = byTag.get(tag)
      if (operations === undefined) return []
      const description = described.get(tag)?.description ?? ''
      return [{ tag, slug: tag.toLowerCase().replaceAll(' ', '-'), description, operations, objects: [] }]
    })
    return rooms.length === 0 ? [] : [{ name, rooms }]
  })
  const rooms = groups.flatMap((group) => group.rooms)
  const homes = settle(contract, rooms)
  const byName = new Map(rooms.map((room) => [room.tag, room]))
  return {
    contract,
    groups,
    roomNamed: (slug) => rooms.find((room) => room.slug === slug),
    roomOf(operation) {
      const room = byName.get(tagOf(operation))
      if (room === undefined) throw new Error(`${operation.id} has a tag that no group of the contract names.`)
      return room
    },
    objectAt(name) {
      const room = homes.get(name)
      return room && `${room.slug}#${name}`
    },
  }
}

/**
 * Assigns each object to the page of the first operation that returns it, or else of the first whose response contains
 * it.
 */
function settle(contract: Contract, rooms: readonly Room[]): Map<string, Room> {
  const homes = new Map<string, Room>()
  const settleAt = (room: Room, schema: Schema | Reference | undefined): void => {
    const name = schema === undefined ? null : objectName(contract, schema)
    if (name === null || homes.has(name)) return
    homes.set(name, room)
    room.objects.push(name)
  }
  for (const room of rooms)
    for (const operation of room.operations) settleAt(room, answerOf(contract, operation)?.schema)
  for (const room of rooms) {
    // The list grows during the loop as nested objects are found. Each object is added once.
    for (let at = 0; at < room.objects.length; at++) {
      const name = room.objects[at] ?? ''
      for (const inner of namedWithin(contract.document.components.schemas?.[name])) settleAt(room, inner)
    }
    for (const operation of room.operations)
      for (const inner of namedWithin(answerOf(contract, operation)?.schema)) settleAt(room, inner)
  }
  return homes
}

/** Returns the references of a schema itself, without those of the schemas it refers to. */
function namedWithin(value: unknown): Reference[] {
  if (typeof value !== 'object' || value === null) return []
  const own = '$ref' in value && typeof value.$ref === 'string' ? [{ $ref: value.$ref }] : []
  return [...own, ...Object.values(value).flatMap(namedWithin)]
}

/** Returns the name of the object that a schema is, lists, or allows next to null; null if there is no named object. */
export function objectName(contract: Contract, schema: Schema | Reference): string | null {
  const target = contract.resolve<Schema>(schema as Schema | Reference)
  const { properties, anyOf, items } = target as {
    properties?: Record<string, Schema>
    anyOf?: Schema[]
    items?: Schema
  }
  const page = pageOf(contract, target)
  if (page !== null) return objectName(contract, page)
  if (properties !== undefined && typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? null
  if (items !== undefined) return objectName(contract, items)
  const [only, ...others] = (anyOf ?? []).filter(({ type }) => type !== 'null')
  return only !== undefined && others.length === 0 ? objectName(contract, only) : null
}

/** Returns the schema of the items of a list page; null if the schema is not a list page. */
export function pageOf(contract: Contract, schema: Schema | Reference): Schema | null {
  const { properties } = contract.resolve<Schema>(schema as Schema | Reference) as {
    properties?: Record<string, Schema>
  }
  if (properties === undefined || !('nextCursor' in properties) || !('data' in properties)) return null
  return (properties.data as { items?: Schema } | undefined)?.items ?? null
}

export interface ShownAnswer {
  status: string
  description: string
  headers: readonly string[]
  type: string | undefined
  schema: Schema | Reference | undefined
  examples: Record<string, { summary?: string; value: unknown }>
}

/** Returns the success response of an operation: the first that the contract declares from 200 to 299. */
export function answerOf(contract: Contract, { declaration }: Operation): ShownAnswer | undefined {
  const found = Object.entries(declaration.responses).find(([status]) => status.startsWith('2'))
  if (found === undefined) return undefined
  const [status, declared] = found
  type Shown = { schema: Schema; examples?: Record<string, { summary?: string; value: unknown } | Reference> }
  const { description, headers = {}, content = {} } = contract.resolve<ResponseObject>(declared)
  const [media] = Object.entries(content as Record<string, Shown>)
  const examples = Object.entries(media?.[1].examples ?? {}).map(
    ([name, example]) => [name, contract.resolve<{ summary?: string; value: unknown }>(example)] as const,
  )
  return {
    ...{ status, description, headers: Object.keys(headers) },
    ...{ type: media?.[0], schema: media?.[1].schema, examples: Object.fromEntries(examples) },
  }
}

export function tagOf({ declaration }: Operation): string {
  return declaration.tags?.[0] ?? ''
}
