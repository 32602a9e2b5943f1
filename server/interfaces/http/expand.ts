import {
  type Contract,
  ContractError,
  type Operation,
  type ParameterObject,
  type Schema,
} from '../../platform/calls/contract.ts'
import { Json } from '../../platform/calls/json.ts'
import { MOST_PAGE_BYTES } from '../../platform/calls/page.ts'
import type { Input } from './input.ts'

/** Implements `expand` for the responses of operations, as `x-expands` of the contract declares. */
export interface Expansions<Context> {
  /** Returns the operation's reply with the linked records of `expand` next to their IDs. */
  reply(operation: Operation, paths: readonly string[], input: Input, context: Context): Promise<ExpandedReply>
}

interface ExpandedReply {
  status: number
  body: object
  headers?: Record<string, string>
  /** The added fields, which can change without a new version of the record. */
  follows: readonly string[]
}

/**
 * Dependencies of expansions. The caller of a request is known only to `handle` and `permit`, through their context.
 */
interface Parts<Context> {
  contract: Contract
  /** Calls the operation's handler with a validated input. */
  handle(operation: Operation, input: Input, context: Context): Promise<Reply>
  /** Throws `permission_denied` unless the caller may call the operation. `what` is the subject of its sentence. */
  permit(context: Context, operation: Operation, what: string): void
}

interface Reply {
  status: number
  body?: object | string
  headers?: Record<string, string>
}

type Item = Readonly<Record<string, unknown>>

/** A field that refers to another record, and how to read that record. */
interface Link {
  /** The field that contains the ID. */
  readonly field: string
  /** The operation that lists the linked records by ID. */
  readonly list: Operation
  /** The query of that list, without the IDs. */
  readonly query: Readonly<Record<string, unknown>>
  /** The schema of the linked record. */
  readonly schema: string
}

/** A link to follow, and the links to follow from its records. */
interface Branch {
  readonly name: string
  readonly link: Link
  readonly next: readonly Branch[]
}

/** The maximum page size of every list, so that each link of a page takes one list request. */
const MOST_IDS = 200

/**
 * Creates the expansions. Linked records are read through the list of their kind as the same caller, so they look as in
 * that list, and fields hidden there are hidden here. A page is read once, and then each link once for all of its
 * records. Like every page, it ends with the record that exceeds the maximum size in bytes. It is then read again with
 * that number of records, to get the matching cursor.
 */
export function expansions<Context>({ contract, handle, permit }: Parts<Context>): Expansions<Context> {
  const links = linksOf(contract)

  function branches(schema: string, paths: readonly string[], context: Context, trail = ''): Branch[] {
    const names = [...new Set(paths.map((path) => path.split('.', 1)[0] ?? ''))]
    return names.map((name) => {
      const link = links.get(schema)?.get(name)
      if (link === undefined) throw new Error(`Expected ${schema} to have a link ${name}.`)
      permit(context, link.list, `With expand=${trail}${name} this operation`)
      const further = paths.flatMap((path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []))
      return { name, link, next: branches(link.schema, further, context, `${trail}${name}.`) }
    })
  }

  /**
   * Returns the items with the linked records of the branches; null if the result exceeds a page, which a single item
   * never does.
   */
  async function expanded(items: readonly Item[], along: readonly Branch[], context: Context): Promise<Item[] | null> {
    const added: { name: string; field: string; found: ReadonlyMap<unknown, Item> }[] = []
    for (const { name, link, next } of along) {
      const found = await linked(items, link, context)
      const whole = found === null ? null : await expanded(found, next, context)
      if (whole === null) return null
      added.push({ name, field: link.field, found: new Map(whole.map((item) => [item.id, item])) })
    }
    return items.map((item) => {
      const whole: Record<string, unknown> = { ...item }
      for (const { name, field, found } of added) {
        if (item[field] === null) whole[name] = null
        // A record that was erased in the meantime is left out, as if it had not been requested.
        else if (found.has(item[field])) whole[name] = found.get(item[field])
      }
      return whole
    })
  }

  async function linked(items: readonly Item[], link: Link, context: Context): Promise<readonly Item[] | null> {
    const ids = [...new Set(items.map((item) => item[link.field]).filter((id) => id !== null))]
    if (ids.length === 0) return []
    if (ids.length > MOST_IDS)
      throw new Error(`Expected a page to link to at most ${MOST_IDS} records of ${link.schema}, not ${ids.length}.`)
    const { body } = await handle(link.list, { path: {}, query: { ...link.query, ids }, body: undefined }, context)
    const { data, nextCursor } = contentOf(body) as unknown as Page
    return nextCursor !== null && ids.length > 1 ? null : data
  }

  async function page(operation: Operation, along: readonly Branch[], input: Input, context: Context): Promise<Reply> {
    for (let limit = Number(input.query.limit); ; ) {
      const reply = await handle(operation, { ...input, query: { ...input.query, limit } }, context)
      const { data, nextCursor } = contentOf(reply.body) as unknown as Page
      const whole = await expanded(data, along, context)
      const items = whole === null ? null : textsThatFit(whole)
      if (items !== null && items.length === data.length) {
        const text = `{"data":[${items.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`
        return { ...reply, body: new Json(text, nextCursor) }
      }
      // The limit shrinks each time, and one record always fits.
      limit = items?.length ?? data.length >> 1
    }
  }

  return {
    async reply(operation, paths, input, context) {
      const { schema, isPage } = answerOf(contract, operation)
      const along = branches(schema, paths, context)
      const follows = along.map(({ name }) => name)
      if (isPage) return { ...whole(await page(operation, along, input, context)), follows }
      const reply = whole(await handle(operation, input, context))
      const [record] = (await expanded([contentOf(reply.body)], along, context)) ?? []
      if (record === undefined) throw new Error(`Expected ${operation.id} to return a record.`)
      return { ...reply, body: record, follows }
    },
  }
}

/** Returns the items as JSON, up to the one that reaches the maximum page size. Later items are not serialized. */
function textsThatFit(items: readonly Item[]): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const item of items) {
    if (bytes >= MOST_PAGE_BYTES) break
    const text = JSON.stringify(item)
    bytes += Buffer.byteLength(text)
    texts.push(text)
  }
  return texts
}

interface Page {
  data: readonly Item[]
  nextCursor: string | null
}

function whole(reply: Reply): Reply & { body: object } {
  const { body } = reply
  if (typeof body !== 'object') throw new Error('Expected an operation with links to return records.')
  return { ...reply, body }
}

function contentOf(body: Reply['body']): Item {
  return (body instanceof Json ? body.value : body) as Item
}

/** Returns the links of each schema by field, with the list that reads the linked records. */
function linksOf(contract: Contract): ReadonlyMap<string, ReadonlyMap<string, Link>> {
  const lists = new Map<string, Operation>()
  for (const operation of contract.operations.values()) {
    if (operation.method !== 'GET' || operation.path.includes('{') || !parametersOf(contract, operation).has('ids'))
      continue
    const { schema, isPage } = answerOf(contract, operation)
    if (isPage) lists.set(schema, operation)
  }
  const { 'x-expands': expands = {} } = contract.document
  return new Map(
    Object.entries(expands).map(([record, targets]) => [
      record,
      new Map(
        Object.entries(targets).map(([name, schema]) => {
          const list = lists.get(schema)
          if (list === undefined)
            throw new ContractError(`Expected an operation that lists ${schema} by IDs, because ${record} links to it.`)
          return [name, { field: `${name}Id`, list, query: queryOf(contract, list), schema }]
        }),
      ),
    ]),
  )
}

function queryOf(contract: Contract, list: Operation): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, { schema }] of parametersOf(contract, list)) {
    if (schema.default !== undefined) query[name] = schema.default
    if (name === 'limit') query[name] = MOST_IDS
    if (name === 'includeArchived') query[name] = true
  }
  return query
}

function parametersOf(contract: Contract, { declaration }: Operation): Map<string, ParameterObject> {
  const declared = (declaration.parameters ?? []).map((each) => contract.resolve<ParameterObject>(each))
  return new Map(declared.flatMap((each) => (each.in === 'query' ? [[each.name, each] as const] : [])))
}

/** Returns the schema of the record that the operation returns, or of the records on its pages. */
function answerOf(contract: Contract, { declaration }: Operation): { schema: string; isPage: boolean } {
  const answer = declaration.responses['200']
  const content =
    answer === undefined ? undefined : contract.resolve<{ content?: Content; description: string }>(answer).content
  const declared = content?.['application/json']?.schema ?? {}
  const { properties = {} } = contract.resolve<Schema>(declared) as { properties?: { data?: { items?: Schema } } }
  const items = properties.data?.items
  return items === undefined ? { schema: nameOf(declared), isPage: false } : { schema: nameOf(items), isPage: true }
}

type Content = Record<string, { schema: Schema }>

function nameOf({ $ref }: Schema): string {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : ''
}
