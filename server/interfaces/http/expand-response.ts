import {
  type Contract,
  ContractError,
  type Operation,
  type ParameterObject,
  type Schema,
} from '../../platform/calls/contract.ts'
import { Json } from '../../platform/calls/json.ts'
import { MAX_PAGE_BYTES } from '../../platform/calls/page.ts'
import type { Input } from './input-checker.ts'

/** Implements the `expand` parameter of responses, which `x-expands` in the contract declares. */
export interface ResponseExpander<Context> {
  /** Returns the operation's reply with the linked records that `expand` requests. Each record is next to its ID. */
  reply(operation: Operation, paths: readonly string[], input: Input, context: Context): Promise<ExpandedReply>
}

interface ExpandedReply {
  status: number
  body: object
  headers?: Record<string, string>
  /** The names of the added fields. Their values can change without a new version of the record. */
  follows: readonly string[]
}

/**
 * The dependencies of a response expander. Only `handle` and `permit` know who sent the request, through the context.
 */
interface ExpanderParts<Context> {
  contract: Contract
  /** Calls the operation's handler with a validated input. */
  handle(operation: Operation, input: Input, context: Context): Promise<Reply>
  /**
   * Throws `permission_denied` unless the caller may call the operation. `what` is the subject of the sentence in the
   * problem.
   */
  permit(context: Context, operation: Operation, what: string): void
}

interface Reply {
  status: number
  body?: object | string
  headers?: Record<string, string>
}

type Item = Readonly<Record<string, unknown>>

/** A field that refers to another record, and the list operation that reads the record. */
interface RecordLink {
  /** The field that contains the ID. */
  readonly field: string
  /** The operation that lists the linked records by ID. */
  readonly list: Operation
  /** The query parameters of the list, except the IDs. */
  readonly query: Readonly<Record<string, unknown>>
  /** The schema of the linked record. */
  readonly schema: string
}

/** A link to expand, and the links to expand in the linked records. */
interface LinkBranch {
  readonly name: string
  readonly link: RecordLink
  readonly next: readonly LinkBranch[]
}

/** The maximum page size of every list. A page therefore needs only one list request for each link. */
const MAX_IDS = 200

/**
 * Creates a response expander. It reads linked records through their list operation on behalf of the caller, so they
 * look as in that list, without fields that are hidden from the caller. The expander reads the page once, and then each
 * link once for all records of the page. Like every page, an expanded page ends with the record that exceeds the
 * maximum size in bytes. If this limit shortens the page, the expander reads the page again with that number of
 * records, to get the matching cursor.
 */
export function createResponseExpander<Context>({
  contract,
  handle,
  permit,
}: ExpanderParts<Context>): ResponseExpander<Context> {
  const links = findRecordLinks(contract)

  function branches(schema: string, paths: readonly string[], context: Context, trail = ''): LinkBranch[] {
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
   * Returns the items with their linked records; null if the result exceeds the maximum page size. A single item is
   * always accepted.
   */
  async function expanded(
    items: readonly Item[],
    along: readonly LinkBranch[],
    context: Context,
  ): Promise<Item[] | null> {
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
        // A linked record that has been erased in the meantime is left out, as if the caller had not requested it.
        else if (found.has(item[field])) whole[name] = found.get(item[field])
      }
      return whole
    })
  }

  async function linked(items: readonly Item[], link: RecordLink, context: Context): Promise<readonly Item[] | null> {
    const ids = [...new Set(items.map((item) => item[link.field]).filter((id) => id !== null))]
    if (ids.length === 0) return []
    if (ids.length > MAX_IDS)
      throw new Error(`Expected at most ${MAX_IDS} linked ${link.schema} records per page, not ${ids.length}.`)
    const { body } = await handle(link.list, { path: {}, query: { ...link.query, ids }, body: undefined }, context)
    const { data, nextCursor } = readContent(body) as unknown as Page
    return nextCursor !== null && ids.length > 1 ? null : data
  }

  async function page(
    operation: Operation,
    along: readonly LinkBranch[],
    input: Input,
    context: Context,
  ): Promise<Reply> {
    for (let limit = Number(input.query.limit); ; ) {
      const reply = await handle(operation, { ...input, query: { ...input.query, limit } }, context)
      const { data, nextCursor } = readContent(reply.body) as unknown as Page
      const whole = await expanded(data, along, context)
      const items = whole === null ? null : itemsThatFitPage(whole)
      if (items !== null && items.length === data.length) {
        const text = `{"data":[${items.join()}],"nextCursor":${JSON.stringify(nextCursor)}}`
        return { ...reply, body: new Json(text, nextCursor) }
      }
      // The loop ends, because the limit decreases each time and a single record always fits.
      limit = items?.length ?? data.length >> 1
    }
  }

  return {
    async reply(operation, paths, input, context) {
      const { schema, isPage } = responseSchemaOf(contract, operation)
      const along = branches(schema, paths, context)
      const follows = along.map(({ name }) => name)
      if (isPage) return { ...requireBody(await page(operation, along, input, context)), follows }
      const reply = requireBody(await handle(operation, input, context))
      const [record] = (await expanded([readContent(reply.body)], along, context)) ?? []
      if (record === undefined) throw new Error(`Expected ${operation.id} to return a record.`)
      return { ...reply, body: record, follows }
    },
  }
}

/**
 * Returns the items as JSON, up to the item that reaches the maximum page size. Does not serialize the items after it.
 */
function itemsThatFitPage(items: readonly Item[]): string[] {
  const texts: string[] = []
  let bytes = 0
  for (const item of items) {
    if (bytes >= MAX_PAGE_BYTES) break
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

function requireBody(reply: Reply): Reply & { body: object } {
  const { body } = reply
  if (typeof body !== 'object') throw new Error('Expected an operation with links to return records.')
  return { ...reply, body }
}

function readContent(body: Reply['body']): Item {
  return (body instanceof Json ? body.value : body) as Item
}

/** Returns the links in each schema by field name. Each link has the list operation that reads the linked records. */
function findRecordLinks(contract: Contract): ReadonlyMap<string, ReadonlyMap<string, RecordLink>> {
  const lists = new Map<string, Operation>()
  for (const operation of contract.operations.values()) {
    if (operation.method !== 'GET' || operation.path.includes('{') || !parametersByName(contract, operation).has('ids'))
      continue
    const { schema, isPage } = responseSchemaOf(contract, operation)
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
          return [name, { field: `${name}Id`, list, query: defaultQuery(contract, list), schema }]
        }),
      ),
    ]),
  )
}

function defaultQuery(contract: Contract, list: Operation): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const [name, { schema }] of parametersByName(contract, list)) {
    if (schema.default !== undefined) query[name] = schema.default
    if (name === 'limit') query[name] = MAX_IDS
    if (name === 'includeArchived') query[name] = true
  }
  return query
}

function parametersByName(contract: Contract, { declaration }: Operation): Map<string, ParameterObject> {
  const declared = (declaration.parameters ?? []).map((each) => contract.resolve<ParameterObject>(each))
  return new Map(declared.flatMap((each) => (each.in === 'query' ? [[each.name, each] as const] : [])))
}

/** Returns the name of the schema of the record that the operation returns or, for a list, of the records on a page. */
function responseSchemaOf(contract: Contract, { declaration }: Operation): { schema: string; isPage: boolean } {
  const response = declaration.responses['200']
  const content =
    response === undefined ? undefined : contract.resolve<{ content?: Content; description: string }>(response).content
  const declared = content?.['application/json']?.schema ?? {}
  const { properties = {} } = contract.resolve<Schema>(declared) as { properties?: { data?: { items?: Schema } } }
  const items = properties.data?.items
  return items === undefined
    ? { schema: schemaName(declared), isPage: false }
    : { schema: schemaName(items), isPage: true }
}

type Content = Record<string, { schema: Schema }>

function schemaName({ $ref }: Schema): string {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : ''
}
