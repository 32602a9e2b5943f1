/**
 * Bundles the contract's files into one document: openapi.yaml, the index, and the files in this folder. That document
 * is what is published, compiled, mocked and linted.
 *
 * A file has its components at the top level (`schemas`, `examples`, …) and may contain anything else there under names
 * of its own. There are two kinds of `$ref`. One to a component (`common.yaml#/schemas/Money`) stays a reference, to
 * `#/components/schemas/Money`; names are unique across files. Any other is inlined, and the keys beside it are merged
 * over the target: maps key by key, everything else as a whole, including maps that are themselves a `$ref`. So an
 * index entry becomes its path, and an example only states how it differs from another. `required: all` makes all
 * properties of a schema required, `patchOf` derives the input of an update from that of the creation, and `meanings` says
 * which values a text may have and what each means. `x-expands` says what the ids of a record lead to; it becomes fields of the record, and values of the parameter `expand`. An
 * operation that is open to `apiKey` is open to `session` too, with the same permissions, unless it has `x-keys-only`.
 *
 * Redocly's bundler would keep the names too, but merges nothing over what it inlines, and cannot tell afterwards which
 * line of which file something came from.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { ContractDocument, OperationObject, ParameterObject, ResponseObject } from '../server/http/contract.ts'

export interface Bundle {
  document: ContractDocument
  /** The files that it was built from, the index first. */
  rooms: { file: string; lines: number }[]
  /** Where something in the document is written, or else its nearest enclosing part. */
  lineOf(keys: readonly (string | number)[]): { file: string; line: number }
}

/** An error in the files themselves, with file and line. */
export class BundleError extends Error {}

/** In the order in which they appear in the document. */
const KINDS = ['securitySchemes', 'parameters', 'headers', 'responses', 'schemas', 'examples']
const FRONT_PAGE = 'openapi.yaml'
/** The last release's contract is in the same folder, but is not a part of this one. */
const RELEASED = 'released.yaml'

type Tree = { [key: string]: unknown }
interface Room {
  /** Its path from the root of the repository. */
  file: string
  content: Tree
  nodes: Document
  lines: LineCounter
}
interface Place {
  room: Room
  keys: string[]
}

export function bundle(root = path.resolve(import.meta.dirname, '..')): Bundle {
  const files = readdirSync(path.join(root, 'contract')).filter((file) => file.endsWith('.yaml') && file !== RELEASED)
  const front = readRoom(root, FRONT_PAGE)
  const others = files.sort().map((file) => readRoom(root, `contract/${file}`))
  const rooms = new Map([front, ...others].map((room) => [room.file, room]))
  /** Where each entry of each part of the document is written. */
  const places = new WeakMap<object, Map<string, Place>>()
  /** What the index refers to. */
  const led = new Set<unknown>()

  const { components: own, ...rest } = build(front.content, { room: front, keys: [] }, []) as Tree
  openToPeople(rest.paths)
  const document = { ...rest, components: components(own as Tree | undefined) }
  places.set(document, new Map(Object.keys(rest).map((key) => [key, { room: front, keys: [key] }])))
  requireIndexed()
  addExpansions(document as unknown as ContractDocument)
  offerExpansions(document as unknown as ContractDocument)
  return {
    document: document as unknown as ContractDocument,
    // The line counter also counts a line after the final newline.
    rooms: [front, ...others].map(({ file, lines }) => ({ file, lines: lines.lineStarts.length - 1 })),
    lineOf,
  }

  /** `trail` lists the targets currently being inlined, to detect one that contains itself. */
  function build(value: unknown, place: Place, trail: readonly string[]): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map((each, index) => build(each, within(place, index), trail))
      places.set(items, new Map(items.map((_, index) => [String(index), within(place, index)])))
      return items
    }
    const { $ref: reference, ...beside } = value as Tree
    const built = Object.fromEntries(
      Object.entries(beside).map(([key, each]) => [key, build(each, within(place, key), trail)]),
    )
    places.set(built, new Map(Object.keys(beside).map((key) => [key, within(place, key)])))
    if (typeof reference !== 'string') return built

    const target = follow(reference, place)
    const [kind = '', name = '', ...deeper] = target.keys
    if (KINDS.includes(kind) && name !== '' && deeper.length === 0) {
      places.get(built)?.set('$ref', within(place, '$ref'))
      return Object.assign(built, { $ref: `#/components/${kind}/${name}` })
    }
    if (place.room === front) led.add(valueAt(target))
    const home = `${target.room.file}#/${target.keys.join('/')}`
    if (trail.includes(home)) throw fault(place, `${reference} leads back to itself`)
    const base = build(valueAt(target), target, [...trail, home])
    if (Object.keys(beside).length === 0) return base
    if (!isTree(base)) throw fault(place, `nothing can be laid over ${reference}`)
    return lay(built, base, beside)
  }

  /** Merges a map over `base`, in place; in `written`, its source, a `$ref` marks what replaces as a whole. */
  function lay(over: Tree, base: Tree, written: Tree): Tree {
    for (const [key, value] of Object.entries(over)) {
      const [under, own] = [base[key], written[key]]
      if (isTree(under) && isTree(value) && isTree(own) && !('$ref' in own)) {
        lay(value, under, own)
        continue
      }
      base[key] = value
      const place = places.get(over)?.get(key)
      if (place !== undefined) places.get(base)?.set(key, place)
    }
    return base
  }

  function follow(reference: string, from: Place): Place {
    const [file = '', pointer = ''] = reference.split('#/')
    const room = file === '' ? from.room : rooms.get(path.posix.join(path.posix.dirname(from.room.file), file))
    const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (room === undefined || valueAt({ room, keys }) === undefined) throw fault(from, `${reference} leads nowhere`)
    return { room, keys }
  }

  /** Starts with the files that no path refers to, because the others use them, then follows the order of the paths. */
  function components(own: Tree = {}): Tree {
    const index = Object.values(front.content.paths as Record<string, { $ref: string }>)
    const named = new Set(index.map(({ $ref }) => $ref.split('#')[0] ?? ''))
    const shared = others.filter(({ file }) => !named.has(file))
    const kinds = KINDS.map((kind): [string, Tree] => {
      const all = { ...(own[kind] as Tree | undefined) }
      const homes = new Map(places.get((own[kind] as Tree | undefined) ?? {}))
      for (const room of [...shared, ...[...named].flatMap((file) => rooms.get(file) ?? [])]) {
        for (const [name, component] of Object.entries((room.content[kind] as Tree | undefined) ?? {})) {
          const place = { room, keys: [kind, name] }
          const other = homes.get(name)?.room.file
          if (other !== undefined) throw fault(place, `${other} has one of the ${kind} called ${name} already`)
          all[name] = build(component, place, [])
          if (kind === 'schemas') {
            requireAll(all[name])
            enumerate(all[name])
          }
          homes.set(name, place)
        }
      }
      if (kind === 'schemas') for (const [name, schema] of Object.entries(all)) patch(all, name, schema, homes)
      places.set(all, homes)
      return [kind, all]
    })
    return Object.fromEntries(kinds.filter(([, all]) => Object.keys(all).length > 0))
  }

  /** `meanings: { archived: it is archived }` becomes the enum, what each of its values means, and the description of all. */
  function enumerate(schema: unknown): void {
    if (!isTree(schema) || !isTree(schema.meanings)) return
    const { meanings, description } = schema
    delete schema.meanings
    const told = Object.entries(meanings).map(([value, meaning]) => `\`${value}\`: ${String(meaning)}`)
    Object.assign(schema, {
      description: `${String(description)} ${told.join('; ')}.`,
      enum: Object.keys(meanings),
      'x-enumDescriptions': meanings,
    })
  }

  /**
   * `patchOf: VendorCreate` derives the input of an update from that of a creation: the same fields, all optional,
   * without defaults, and without those listed in `without`. Differences are written under `properties`.
   */
  function patch(schemas: Tree, name: string, schema: unknown, homes: ReadonlyMap<string, Place>): void {
    if (!isTree(schema) || typeof schema.patchOf !== 'string') return
    const { patchOf, without = [], description, properties: own = {} } = schema
    const created = schemas[patchOf]
    const place = homes.get(name) ?? { room: front, keys: [] }
    if (!isTree(created) || !isTree(created.properties)) throw fault(place, `${patchOf} is no input of a creation`)
    const left = new Set(without as string[])
    const fields = Object.entries(created.properties).filter(([field]) => !left.has(field))
    const plain = fields.map(([field, value]) => {
      const { default: _, description: __, ...rest } = value as Tree
      return [field, rest]
    })
    for (const key of Object.keys(schema)) delete schema[key]
    const properties = { ...Object.fromEntries(plain), ...(own as Tree) }
    Object.assign(schema, { type: 'object', additionalProperties: false, minProperties: 1, description, properties })
  }

  /**
   * `x-expands: { Bid: { vendor: Vendor } }` says what the `vendorId` of a bid leads to. The bid gets a field `vendor`,
   * which is only there where somebody asks for it, and null where the id is.
   */
  function addExpansions({ components: { schemas = {} }, 'x-expands': expands = {} }: ContractDocument): void {
    for (const [record, links] of Object.entries(expands)) {
      const { properties } = reached(schemas, schemas[record])
      for (const [name, target] of Object.entries(links)) {
        const id = isTree(properties) ? properties[`${name}Id`] : undefined
        if (!isTree(properties) || !isTree(id) || schemas[target] === undefined) {
          const place = { room: front, keys: ['x-expands', record] }
          throw fault(place, `x-expands leads nowhere: there is no ${name}Id in ${record}, or no ${target}`)
        }
        const description = `What \`${name}Id\` names; there only where \`expand\` asks for it.`
        const $ref = `#/components/schemas/${target}`
        const isNullable = [reached(schemas, id).type].flat().includes('null')
        properties[name] = isNullable ? { description, anyOf: [{ $ref }, { type: 'null' }] } : { description, $ref }
      }
    }
  }

  /** What reads a record that leads to others takes the paths to them, of two steps at most, in `expand`. */
  function offerExpansions({ paths, components: { schemas = {} }, 'x-expands': expands = {} }: ContractDocument): void {
    for (const [address, { get }] of Object.entries(paths)) {
      if (get === undefined) continue
      const { responses = {} } = get as Partial<OperationObject>
      const { schema } = (responses['200'] as ResponseObject | undefined)?.content?.['application/json'] ?? {}
      const { properties } = reached(schemas, schema)
      const { items } = reached(schemas, isTree(properties) ? properties.data : undefined)
      const offered = Object.entries(expands[nameOf(items ?? schema)] ?? {}).flatMap(([name, target]) => [
        name,
        ...Object.keys(expands[target] ?? {}).map((next) => `${name}.${next}`),
      ])
      const taken = (get.parameters as Partial<ParameterObject>[] | undefined)
        ?.filter(({ name }) => name === 'expand')
        .map(({ schema }) => schema?.items)
        .find(isTree)
      if ((taken === undefined) !== (offered.length === 0)) {
        const place = places.get(paths)?.get(address) ?? { room: front, keys: [] }
        throw fault(place, `${get.operationId} takes expand if, and only if, what it answers is in x-expands`)
      }
      if (taken !== undefined) taken.enum = offered
    }
  }

  /** A path, an event or a skill that is missing from the index would not be published. */
  function requireIndexed(): void {
    for (const room of others) {
      for (const kind of ['paths', 'webhooks', 'skills']) {
        for (const [name, value] of Object.entries((room.content[kind] as Tree | undefined) ?? {})) {
          if (!led.has(value)) throw fault({ room, keys: [kind, name] }, `${FRONT_PAGE} does not lead to ${name}`)
        }
      }
    }
  }

  function lineOf(keys: readonly (string | number)[]): { file: string; line: number } {
    let part: unknown = document
    let place: Place = { room: front, keys: [] }
    for (const key of keys.map(String)) {
      if (typeof part !== 'object' || part === null) break
      place = places.get(part)?.get(key) ?? place
      part = (part as Tree)[key]
    }
    return { file: place.room.file, line: lineAt(place) }
  }
}

/** The schema itself, or the component that it refers to. */
function reached(schemas: Tree, schema: unknown): Tree {
  if (!isTree(schema)) return {}
  return typeof schema.$ref === 'string' ? reached(schemas, schemas[nameOf(schema)]) : schema
}

function nameOf(reference: unknown): string {
  return isTree(reference) && typeof reference.$ref === 'string' ? (reference.$ref.split('/').at(-1) ?? '') : ''
}

/** `required: all` lists every property, for records that are always returned complete. */
function requireAll(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const { required, properties } = schema as { required?: unknown; properties?: unknown }
  if (required === 'all' && isTree(properties)) Object.assign(schema, { required: Object.keys(properties) })
  for (const inner of Object.values(schema)) requireAll(inner)
}

/**
 * What is open to API keys is open to people who are signed in, as far as their role covers the same permissions, unless
 * it tells of the calling key (`x-keys-only`).
 */
function openToPeople(paths: unknown): void {
  for (const item of Object.values(isTree(paths) ? paths : {})) {
    for (const operation of Object.values(isTree(item) ? item : {})) {
      if (!isTree(operation) || operation['x-keys-only'] === true) continue
      const { security } = operation
      if (!Array.isArray(security)) continue
      for (const requirement of [...security]) {
        if (isTree(requirement) && 'apiKey' in requirement) security.push({ session: requirement.apiKey })
      }
    }
  }
}

function readRoom(root: string, file: string): Room {
  const lines = new LineCounter()
  const nodes = parseDocument(readFileSync(path.join(root, file), 'utf8'), { lineCounter: lines })
  const [error] = nodes.errors
  if (error !== undefined) throw new BundleError(`${file}: ${error.message}`)
  return { file, content: nodes.toJS() as Tree, nodes, lines }
}

function lineAt({ room, keys }: Place): number {
  let node: unknown = room.nodes.contents
  let offset = 0
  for (const key of keys) {
    const found = isMap(node)
      ? node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key)
      : isSeq(node)
        ? node.items[Number(key)]
        : undefined
    const start = isPair(found) ? found.key : found
    const range = (start as { range?: [number, number, number] } | undefined)?.range
    if (range === undefined) break
    offset = range[0]
    node = isPair(found) ? found.value : found
  }
  return room.lines.linePos(offset).line
}

function valueAt({ room, keys }: Place): unknown {
  return keys.reduce<unknown>((part, key) => (part as Tree | null | undefined)?.[key], room.content)
}

function within({ room, keys }: Place, key: string | number): Place {
  return { room, keys: [...keys, String(key)] }
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fault(place: Place, what: string): BundleError {
  return new BundleError(`${place.room.file}:${lineAt(place)}: ${what}.`)
}
