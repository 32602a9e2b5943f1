import type { Operation } from '../../server/http/contract.ts'
import { at, contract, entriesAt } from './contract.ts'
import { validValue } from './generate.ts'
import type { Answer, TestPlumbline } from './plumbline.ts'
import { Random } from './random.ts'

/**
 * A builder's world, made by playing the contract's own examples: every example of a creation is sent, with the ids in it
 * exchanged for those of things that exist by then. So a suite that walks the contract has something of every kind to
 * work on, and a new resource brings its own.
 */
export class World {
  readonly key: string
  readonly #plumbline: TestPlumbline
  /** Where every subscription of this world leads. */
  readonly receiver: string
  /** The ids of what exists, by prefix. */
  readonly #existing = new Map<string, string[]>()
  /** Which real thing stands for an id of the examples: always the same, so that what the examples say of one another holds. */
  readonly #standIns = new Map<string, string>()

  constructor(plumbline: TestPlumbline, key: string, receiver: string) {
    this.#plumbline = plumbline
    this.key = key
    this.receiver = receiver
  }

  /** An id of what exists, of the kind that a field or parameter of this name holds. */
  idFor(field: string): string | undefined {
    return this.idsFor(field)[0]
  }

  idsFor(field: string): readonly string[] {
    // What may be of any kind.
    if (field === 'resourceId') return [...this.#existing.values()].flat()
    return this.#existing.get(prefixOf(field) ?? '') ?? []
  }

  /** The address of an operation with real ids in it, and the query that it demands; undefined while something is missing. */
  addressOf(operation: Operation): string | undefined {
    let path = operation.path
    const query = new URLSearchParams()
    for (const declared of operation.declaration.parameters ?? []) {
      const parameter = contract.resolve(declared)
      if (parameter.required !== true || parameter.in === 'header') continue
      const value = this.idFor(parameter.name) ?? (parameter as { example?: unknown }).example
      if (value === undefined) return undefined
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, String(value))
      else query.set(parameter.name, String(value))
    }
    return query.size > 0 ? `${path}?${query}` : path
  }

  /** An example with real ids in the place of its own; undefined while something in it does not exist. */
  real(example: unknown): unknown {
    let isWhole = true
    const visit = (value: unknown, field: string): unknown => {
      if (Array.isArray(value)) return value.map((item) => visit(item, field))
      if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner, name)]))
      }
      // Deliveries go to a receiver of the test's own, and nowhere else.
      if (field === 'url' && typeof value === 'string') return this.receiver
      if (typeof value !== 'string' || !TYPE_ID.test(value)) return value
      const standIn = this.#standInFor(value)
      if (standIn === undefined) isWhole = false
      return standIn
    }
    const result = visit(example, '')
    return isWhole ? result : undefined
  }

  #standInFor(id: string): string | undefined {
    const known = this.#standIns.get(id)
    if (known !== undefined) return known
    const existing = this.#existing.get(id.slice(0, id.indexOf('_'))) ?? []
    const free = existing.find((candidate) => ![...this.#standIns.values()].includes(candidate)) ?? existing[0]
    if (free !== undefined) this.#standIns.set(id, free)
    return free
  }

  /** Plays every creation until another round would bring nothing of a new kind. */
  async populate(): Promise<this> {
    const creations = [...contract.operations.values()].filter(({ declaration }) => '201' in declaration.responses)
    for (let round = 0, kinds = -1; kinds !== this.#existing.size && round < 6; round++) {
      kinds = this.#existing.size
      for (const operation of creations) {
        for (const body of this.bodiesOf(operation)) {
          const address = this.addressOf(operation)
          if (address !== undefined) this.learn(await this.#plumbline.post(address, body, { key: this.key }))
        }
      }
    }
    for (const operation of contract.operations.values()) {
      const address = this.addressOf(operation)
      if (operation.method === 'GET' && address !== undefined)
        this.learn(await this.#plumbline.get(address, { key: this.key }))
    }
    return this
  }

  /** The examples of an operation's body that can be played now; one undefined body for an operation that takes none. */
  bodiesOf(operation: Operation): unknown[] {
    if (!operation.takesBody) return [undefined]
    const place = [
      'paths',
      operation.path,
      operation.method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'examples',
    ]
    return entriesAt(...place)
      .map(([, example]) => this.real(example.value))
      .filter((body) => body !== undefined)
  }

  /** Sends an operation as its first playable example would have it, save what is said otherwise. */
  send(operation: Operation, other: Partial<Sending> = {}): Promise<Answer> {
    const address = other.address ?? this.addressOf(operation)
    if (address === undefined) throw new Error(`There is nothing that ${operation.id} could be sent to.`)
    const body = 'body' in other ? other.body : this.bodyOf(operation)
    const key = other.key === undefined ? this.key : other.key
    return this.#plumbline.request(operation.method, address, body, { key, headers: other.headers ?? {} })
  }

  /** A body that the contract accepts: an example's, or one made from the schema where no example can be played. */
  bodyOf(operation: Operation): unknown {
    if (!operation.takesBody) return undefined
    const [example] = this.bodiesOf(operation)
    return (
      example ??
      validValue(schemaOfBody(operation), {
        random: new Random(1),
        idFor: (field) => this.idFor(field),
        url: this.receiver,
      })
    )
  }

  /** Remembers every id of an answer as something that exists. */
  learn(answer: Answer): void {
    if (answer.status >= 300) return
    // The document itself can be downloaded, and what its examples show does not exist for that.
    for (const id of idsIn(answer.body)) if (!EXAMPLE_IDS.has(id)) this.remember(id)
  }

  remember(id: string): void {
    const prefix = id.slice(0, id.indexOf('_'))
    const known = this.#existing.get(prefix)
    if (known === undefined) this.#existing.set(prefix, [id])
    else if (!known.includes(id)) known.push(id)
  }
}

export interface Sending {
  address: string
  body: unknown
  key: string | null
  headers: Record<string, string>
}

export function schemaOfBody(operation: Operation): unknown {
  return at(
    'paths',
    operation.path,
    operation.method.toLowerCase(),
    'requestBody',
    'content',
    'application/json',
    'schema',
  )
}

/** The ids of what an answer shows: whatever stands under `id`, however deep. */
export function* idsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [field, inner] of Object.entries(value)) {
    if (field === 'id' && typeof inner === 'string' && TYPE_ID.test(inner)) yield inner
    else yield* idsIn(inner)
  }
}

export const TYPE_ID = /^[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** The prefix of the ids that a field of this name holds, learnt from the examples: vendorId and vendorIds hold ven_…. */
export function prefixOf(field: string): string | undefined {
  return PREFIXES.get(field.replace(/Ids$/, 'Id'))
}

const PREFIXES = learnPrefixes()

function learnPrefixes(): Map<string, string> {
  const prefixes = new Map<string, string>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      if (/Ids?$/.test(field)) {
        for (const id of [inner].flat()) {
          if (typeof id === 'string' && TYPE_ID.test(id))
            prefixes.set(field.replace(/Ids$/, 'Id'), id.slice(0, id.indexOf('_')))
        }
      }
      visit(inner)
    }
  }
  for (const [, example] of entriesAt('components', 'examples')) visit(example.value)
  // A path parameter is often named by nothing but its own resource, whose examples show the id as `id`.
  for (const { path, method } of contract.operations.values()) {
    const name = /\{(\w+)\}$/.exec(path)?.[1]
    if (name === undefined || method !== 'GET') continue
    const place = ['paths', path, 'get', 'responses', '200', 'content', 'application/json', 'examples']
    for (const [, example] of entriesAt(...place)) {
      const id = (example.value as { id?: unknown }).id
      if (typeof id === 'string' && TYPE_ID.test(id)) prefixes.set(name, id.slice(0, id.indexOf('_')))
    }
  }
  return prefixes
}

export const EXAMPLE_IDS: ReadonlySet<string> = new Set(
  entriesAt('components', 'examples').flatMap(([, { value }]) => [...idsIn(value)]),
)
