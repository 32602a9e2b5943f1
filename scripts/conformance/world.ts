import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '../../server/http/contract.ts'
import { at, contract, entriesAt } from './contract.ts'
import { brief, placeOf } from './judge.ts'
import { SeededRandom } from './random.ts'
import type { Answer, Service } from './service.ts'
import { validValue } from './values.ts'

/**
 * A builder's world, made by playing the contract's own examples: every example of a creation is sent, with the ids in it
 * exchanged for those of things that exist by then. So a suite that walks the contract has something of every kind to
 * work on, and a new resource brings its own.
 */
export class World {
  readonly key: string
  readonly #service: Service
  /** Where every subscription of this world leads. */
  readonly receiver: string
  /** The ids of what exists, by prefix. */
  readonly #existing = new Map<string, string[]>()
  /** Which real thing stands for an id of the examples: the one made from its example, so that what they say of one another holds. */
  readonly #standIns = new Map<string, string>()
  /** How many fields of a resource of the examples its stand-in was made with. */
  readonly #likeness = new Map<string, number>()
  /** What stands in for an id that no example of a creation was like. */
  readonly #makeshifts = new Map<string, string>()
  readonly #made = new Map<string, Operation>()
  /** The tokens of the vendors' portal addresses, by what they open: a vendor, or one of its invitations. */
  readonly #portalTokens = new Map<string, string>()
  /** How the last creation of each operation was refused. */
  readonly #refusals = new Map<Operation, string>()
  #isSettled = false

  constructor(service: Service, key: string, receiver: string) {
    this.#service = service
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

  /**
   * The address of an operation with real ids in it, and the query that it demands; undefined while something is missing.
   * `which` asks for another than the first thing of each kind.
   */
  addressOf(operation: Operation, which = 0): string | undefined {
    let path = operation.path
    const query = new URLSearchParams()
    for (const declared of operation.declaration.parameters ?? []) {
      const parameter = contract.resolve(declared)
      if (parameter.required !== true || parameter.in === 'header') continue
      const value = this.#idsIn(operation, parameter.name)[which] ?? (parameter as { example?: unknown }).example
      if (value === undefined) return undefined
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, String(value))
      else query.set(parameter.name, String(value))
    }
    return query.size > 0 ? `${path}?${query}` : path
  }

  /** From now on the portal is entered with this token, where no other opens the address. */
  admit(portalToken: string): void {
    this.#portalTokens.set(portalToken.slice(0, portalToken.indexOf('.')), portalToken)
  }

  // A vendor is let in only to what it has the address of, or to all that is its own.
  #idsIn(operation: Operation, parameter: string): readonly string[] {
    const ids = this.idsFor(parameter)
    const opened = ids.filter((id) => this.#portalTokens.has(id))
    return isOpenToKeys(operation) || opened.length === 0 ? ids : opened
  }

  /** What a request to the operation is let in by: this world's key, or in the portal a token that opens its address. */
  credentialFor(operation: Operation, address: string): string | undefined {
    if (isOpenToKeys(operation)) return this.key
    const [id = ''] = address.split(/[/?]/).filter((part) => this.#portalTokens.has(part))
    return this.#portalTokens.get(id) ?? [...this.#portalTokens.values()].at(-1)
  }

  /** The address of an operation with real ids in it; throws with what is missing for it. */
  addressFor(operation: Operation): string {
    const address = this.addressOf(operation)
    if (address === undefined) throw new Error(this.missingFor(operation) ?? `${operation.id} has no address.`)
    return address
  }

  /** Why an operation has no address, and what would give it one; null when it has one. */
  missingFor(operation: Operation): string | null {
    for (const declared of operation.declaration.parameters ?? []) {
      const { name, in: where, required, ...rest } = contract.resolve(declared)
      if (required !== true || where === 'header') continue
      if (this.idFor(name) !== undefined || (rest as { example?: unknown }).example !== undefined) continue
      return `${operation.id}: the world has no value for its ${where} parameter ${name}; ${this.#remedyFor(name)}`
    }
    return null
  }

  #remedyFor(parameter: string): string {
    const prefix = prefixOf(parameter)
    if (prefix === undefined)
      return 'no example shows an id of its kind. Give the parameter an example, or an operation an answer that shows one.'
    const creation = [...contract.operations.values()].find((operation) => kindOf(operation) === prefix)
    if (creation === undefined)
      return `no operation creates a ${prefix}_…. Add one with an example of what it creates, or make it in scripts/conformance/world.ts.`
    const refusal = this.#refusals.get(creation)
    if (refusal !== undefined) return `${creation.id} would make one, and was refused: ${refusal}`
    return this.addressOf(creation) === undefined
      ? `${creation.id} would make one, but has nothing to be sent to itself.`
      : `${creation.id} would make one, but its examples refer to something that does not exist.`
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
    const known = this.#standIns.get(id) ?? this.#makeshifts.get(id)
    if (known !== undefined) return known
    const existing = this.#existing.get(prefixIn(id)) ?? []
    const taken = new Set([...this.#standIns.values(), ...this.#makeshifts.values()])
    const free = existing.find((candidate) => !taken.has(candidate))
    // At first two ids mean two things; only when nothing else is to come may one stand for both.
    const standIn = free ?? (this.#isSettled ? existing[0] : undefined)
    if (standIn !== undefined) this.#makeshifts.set(id, standIn)
    return standIn
  }

  /**
   * What was made from an example stands from now on for the resource of the examples that is most like it, and what it
   * belongs to for what that resource belongs to.
   */
  #bind(example: object, made: Record<string, unknown>): void {
    const fields = Object.entries(example)
    const likeness = (resource: Resource) =>
      fields.filter(([field, value]) => isDeepStrictEqual(resource[field], value)).length
    const [best] = [...EXAMPLE_RESOURCES]
      .filter(([id]) => prefixIn(id) === prefixIn(String(made.id)))
      .map(([id, resource]) => ({ id, resource, score: likeness(resource) }))
      .filter(({ id, score }) => score > (this.#likeness.get(id) ?? 0))
      .sort((one, other) => other.score - one.score)
    if (best === undefined) return
    this.#likeness.set(best.id, best.score)
    this.#standIns.set(best.id, String(made.id))
    for (const [field, id] of Object.entries(best.resource)) {
      const real = made[field]
      if (typeof id !== 'string' || typeof real !== 'string' || !TYPE_ID.test(id) || !TYPE_ID.test(real)) continue
      if (!this.#standIns.has(id)) this.#standIns.set(id, real)
    }
  }

  /** Plays every creation until there is something of every kind, and waits for what comes about by itself. */
  async populate(): Promise<this> {
    const creations = [...contract.operations.values()].filter(({ declaration }) => '201' in declaration.responses)
    for (let round = 0; round < ROUNDS; round++) {
      this.#isSettled = round >= ROUNDS / 2
      for (const operation of creations) {
        for (const { example, body } of this.#playable(operation)) {
          const address = this.addressOf(operation)
          if (address === undefined) continue
          const answer = await this.#create(address, body)
          this.learn(answer)
          if (answer.status !== 201) {
            const { code, detail, errors = [] } = answer.body ?? {}
            this.#refusals.set(
              operation,
              `${answer.status} ${code}: ${detail} ${errors.length > 0 ? brief(errors) : ''}`.trim(),
            )
            continue
          }
          this.#made.set(prefixIn(answer.body.id), operation)
          this.#bind(example as object, answer.body)
        }
      }
    }
    const deadline = Date.now() + 10_000
    for (;;) {
      let missing = 0
      for (const operation of contract.operations.values()) {
        const address = this.addressOf(operation)
        if (address === undefined) missing++
        else if (operation.method === 'GET') this.learn(await this.send(operation), operation)
      }
      // Deliveries are made by workers, a moment after the events.
      if (missing === 0 || Date.now() > deadline) return this
      await new Promise((next) => setTimeout(next, 50))
    }
  }

  async #create(address: string, body: unknown): Promise<Answer> {
    const create = (content: unknown) => {
      const headers = { 'idempotency-key': crypto.randomUUID() }
      return this.#service.request('POST', address, content, { key: this.key, headers })
    }
    const answer = await create(body)
    const otherwise = renamed(body, answer)
    return otherwise === null ? answer : create(otherwise)
  }

  /** The examples of an operation's body that can be played now; one undefined body for an operation that takes none. */
  bodiesOf(operation: Operation): unknown[] {
    return this.#playable(operation).map(({ body }) => body)
  }

  #playable(operation: Operation): { example: unknown; body: unknown }[] {
    if (!operation.takesBody) return [{ example: {}, body: undefined }]
    return entriesAt(...placeOf(operation), 'requestBody', 'content', 'application/json', 'examples')
      .map(([, { value }]) => ({ example: value, body: this.real(value) }))
      .filter(({ body }) => body !== undefined)
  }

  /** Sends an operation as its first playable example would have it, save what is said otherwise. */
  send(operation: Operation, other: Partial<Sending> = {}): Promise<Answer> {
    const address = other.address ?? this.addressFor(operation)
    const body = 'body' in other ? other.body : this.bodyOf(operation)
    const key = other.key === undefined ? this.credentialFor(operation, address) : other.key
    return this.#service.request(operation.method, address, body, { key, headers: other.headers ?? {} })
  }

  /** A body that the contract accepts: an example's, or one made from the schema where no example can be played. */
  bodyOf(operation: Operation): unknown {
    if (!operation.takesBody) return undefined
    const [example] = this.bodiesOf(operation)
    return (
      example ??
      validValue(schemaOfBody(operation), {
        random: new SeededRandom(1),
        idFor: (field) => this.idFor(field),
        url: this.receiver,
      })
    )
  }

  /**
   * Remembers every id of an answer as something that exists. Where the operation is told, it says whether the answer is
   * about something of this world; if it is not, then of what can be made nothing is remembered, because nothing but what
   * was made here may be touched.
   */
  learn(answer: Answer, operation?: Operation): void {
    // What a dry run shows was undone, tokens and all.
    if (answer.status >= 300 || answer.body?.dryRun === true) return
    for (const token of portalTokensIn(answer.body)) this.admit(token)
    const isOwn = operation === undefined || '201' in operation.declaration.responses || this.#isOnOwn(operation)
    for (const id of idsIn(answer.body)) {
      // The document itself can be downloaded, and what its examples show does not exist for that.
      if (EXAMPLE_IDS.has(id) || (!isOwn && this.#made.has(prefixIn(id)))) continue
      this.remember(id)
    }
  }

  #isOnOwn({ path }: Operation): boolean {
    const [, parameter = ''] = /\{(\w+)\}/.exec(path) ?? []
    return this.#made.has(prefixOf(parameter) ?? '')
  }

  /** What was made here and can be made, by prefix, with the operation that makes it. */
  get made(): ReadonlyMap<string, Operation> {
    return this.#made
  }

  idsOf(prefix: string): readonly string[] {
    return this.#existing.get(prefix) ?? []
  }

  remember(id: string): void {
    const prefix = prefixIn(id)
    const known = this.#existing.get(prefix)
    if (known === undefined) this.#existing.set(prefix, [id])
    else if (!known.includes(id)) known.push(id)
  }
}

/** What a creation needs may be made only after it in the contract, and that again may need something. */
const ROUNDS = 4

export interface Sending {
  address: string
  body: unknown
  key: string | null | undefined
  headers: Record<string, string>
}

export function schemaOfBody(operation: Operation): unknown {
  return at(...placeOf(operation), 'requestBody', 'content', 'application/json', 'schema')
}

/** A body under another name, where its own is taken by somebody else's record; null where that is not what was refused. */
export function renamed(body: unknown, refused: Answer): unknown {
  const fault = refused.status === 409 ? refused.body.errors?.[0] : undefined
  const field = fault?.code === 'conflict' ? String(fault.pointer).slice(1) : ''
  const name = (body as Record<string, unknown> | null | undefined)?.[field]
  if (typeof name !== 'string' || TYPE_ID.test(name)) return null
  return { ...(body as object), [field]: `${name} ${Math.random().toString(36).slice(2, 8)}` }
}

/** The ids of what an answer shows: whatever stands under `id`, however deep. */
export function* idsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [field, inner] of Object.entries(value)) {
    if (field === 'id' && typeof inner === 'string' && TYPE_ID.test(inner)) yield inner
    else yield* idsIn(inner)
  }
}

/** The tokens of the portal addresses that an answer shows, save those of invitations that were not sent yet. */
function* portalTokensIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  const { portalUrl, status } = value as { portalUrl?: unknown; status?: unknown }
  const token = typeof portalUrl === 'string' ? portalUrl.slice(portalUrl.lastIndexOf('/') + 1) : ''
  // The document itself can be downloaded, and what its examples show opens nothing.
  const isShown = EXAMPLE_IDS.has(token.slice(0, token.indexOf('.')))
  if (token !== '' && !isShown && status !== 'pending') yield token
  for (const inner of Object.values(value)) yield* portalTokensIn(inner)
}

/** Whether an API key may call it; what is not is the vendors' portal. */
export function isOpenToKeys({ schemes }: Operation): boolean {
  return schemes.has('apiKey')
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
          if (typeof id === 'string' && TYPE_ID.test(id)) prefixes.set(field.replace(/Ids$/, 'Id'), prefixIn(id))
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
      if (typeof id === 'string' && TYPE_ID.test(id)) prefixes.set(name, prefixIn(id))
    }
  }
  return prefixes
}

/** The prefix of what a creation makes, learnt from its examples; undefined for every other operation. */
export function kindOf(operation: Operation): string | undefined {
  const place = [...placeOf(operation), 'responses', '201', 'content', 'application/json', 'examples']
  const [example] = '201' in operation.declaration.responses ? entriesAt(...place) : []
  const { id } = (example?.[1].value ?? {}) as { id?: unknown }
  return typeof id === 'string' && TYPE_ID.test(id) ? prefixIn(id) : undefined
}

/** The operations on one thing whose ids have this prefix, with nothing behind its id in their paths. */
export function operationsOn(kind: string): Operation[] {
  return [...contract.operations.values()].filter(({ path }) => {
    const parameter = /\{(\w+)\}$/.exec(path)?.[1]
    return parameter !== undefined && prefixOf(parameter) === kind
  })
}

export const EXAMPLE_IDS: ReadonlySet<string> = new Set(
  entriesAt('components', 'examples').flatMap(([, { value }]) => [...idsIn(value)]),
)

type Resource = Record<string, unknown>

/** The resources that the examples show, by id, each in its fullest form. */
const EXAMPLE_RESOURCES: ReadonlyMap<string, Resource> = learnResources()

function learnResources(): Map<string, Resource> {
  const resources = new Map<string, Resource>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const { id } = value as { id?: unknown }
    if (typeof id === 'string' && TYPE_ID.test(id)) {
      const known = resources.get(id)
      if (known === undefined || Object.keys(known).length < Object.keys(value).length)
        resources.set(id, value as Resource)
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  for (const [, { value }] of entriesAt('components', 'examples')) visit(value)
  return resources
}

function prefixIn(id: string): string {
  return id.slice(0, id.indexOf('_'))
}
