/**
 * Finds the changes that break clients when a new contract replaces a released one. Both are published documents with
 * the operations, the events, and the composite skills.
 *
 * Inputs may only become more permissive, and responses may only contain more. Every valid request must stay valid. A
 * response must still contain every field, with a type and a value that were possible before. Additional fields in a
 * response are permitted, because clients ignore unknown fields. Changed bounds in responses, such as lengths and
 * ranges, are also permitted, because clients do not rely on them.
 */
export interface BreakingChange {
  kind: ChangeKind
  /**
   * The location of the change in words: an operationId, an event, or a skill, followed by the part of it that changed.
   */
  place: string
  what: string
}

export type ChangeKind =
  | 'operation removed'
  | 'operation renamed'
  | 'event removed'
  | 'skill removed'
  | 'permission added'
  | 'parameter removed'
  | 'parameter required'
  | 'body required'
  | 'status dropped'
  | 'media type dropped'
  | 'header dropped'
  | 'field removed'
  | 'field required'
  | 'field optional'
  | 'type changed'
  | 'enum value removed'
  | 'enum value added'
  | 'format changed'
  | 'bound tightened'
  | 'default changed'

/** The parts of a published document that are compared. */
export interface ContractSnapshot {
  info: { version: string }
  security?: Security
  paths: Record<string, Record<string, unknown>>
  webhooks?: Record<string, unknown>
  'x-skills'?: Record<string, unknown>
  components?: Record<string, Record<string, unknown>>
}
type Security = Record<string, string[]>[]

interface Operation {
  operationId?: string
  security?: Security
  parameters?: unknown[]
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Schema }> }
  responses?: Record<string, unknown>
}
interface Parameter {
  name: string
  in: string
  required?: boolean
  schema?: Schema
}
interface Answer {
  content?: Record<string, { schema?: Schema }>
  headers?: Record<string, unknown>
}
interface Skill {
  permissions: string[]
  input: Schema
  output: Schema
}
type Schema = Record<string, unknown>
/** Whether a schema describes data that clients send or data that they receive. */
type SchemaDirection = 'asked' | 'answered'
type FoundChanges = Generator<BreakingChange>

/** Lists to which a minor version may add values. Their descriptions tell clients to expect new values. */
const EXTENSIBLE_LISTS = [
  ...['ProblemCode', 'Permission', 'UserRole', 'WebhookDisabledReason', 'EventType', 'BidFlag'],
  ...['ActorType', 'AuditActorType', 'MessageRecipientType'],
].map((name) => `#/components/schemas/${name}`)

const METHODS = ['get', 'put', 'post', 'patch', 'delete']

export function listBreakingChanges(released: ContractSnapshot, present: ContractSnapshot): BreakingChange[] {
  return [...new Comparison(released, present).run()]
}

class Comparison {
  readonly #released: ContractSnapshot
  readonly #present: ContractSnapshot
  /**
   * Pairs of components whose differences do not break clients. The results are cached, because most pairs are harmless
   * and each component is used in many places.
   */
  readonly #harmless = new Set<string>()
  /** The number of comparisons that were cut short because the same pair is already being compared. */
  #cut = 0

  constructor(released: ContractSnapshot, present: ContractSnapshot) {
    this.#released = released
    this.#present = present
  }

  *run(): FoundChanges {
    for (const [path, item] of Object.entries(this.#released.paths)) {
      for (const method of METHODS) {
        const before = item[method] as Operation | undefined
        if (before === undefined) continue
        const after = this.#present.paths[path]?.[method] as Operation | undefined
        const place = before.operationId ?? `${method.toUpperCase()} ${path}`
        if (after === undefined)
          yield { kind: 'operation removed', place, what: `${method.toUpperCase()} ${path} was removed` }
        else
          yield* this.#operation(
            place,
            mergeSharedParameters(before, item),
            mergeSharedParameters(after, this.#present.paths[path]),
          )
      }
    }
    yield* this.#events()
    yield* this.#skills()
  }

  *#operation(place: string, before: Operation, after: Operation): FoundChanges {
    // The operationId is also the name of a method in every generated client and the name of a skill.
    if (before.operationId !== after.operationId)
      yield { kind: 'operation renamed', place, what: `the new name is ${after.operationId}` }
    const needed = listPermissions(this.#present, after)
    yield* compareNewPermissions(place, listPermissions(this.#released, before), needed)
    yield* this.#parameters(place, before, after)
    yield* this.#body(place, before, after)
    yield* this.#answers(place, before, after)
  }

  *#parameters(place: string, before: Operation, after: Operation): FoundChanges {
    const [old, now] = [this.#declared(this.#released, before), this.#declared(this.#present, after)]
    for (const [key, parameter] of old) {
      const same = now.get(key)
      // Path parameters may be renamed, because their position in the path identifies them.
      if (same === undefined && parameter.in !== 'path')
        yield { kind: 'parameter removed', place, what: `${key} is no longer accepted` }
      if (same?.required === true && parameter.required !== true)
        yield { kind: 'parameter required', place, what: `${key} is now required` }
      if (same !== undefined) yield* this.#schemas('asked', `${place} ${key}`, parameter.schema, same.schema)
    }
    for (const [key, parameter] of now) {
      if (!old.has(key) && parameter.required === true && parameter.in !== 'path')
        yield { kind: 'parameter required', place, what: `the new ${key} is required` }
    }
  }

  #declared(document: ContractSnapshot, operation: Operation): Map<string, Parameter> {
    const parameters = (operation.parameters ?? []).map((each) => resolveReference<Parameter>(document, each))
    return new Map(parameters.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]))
  }

  *#body(place: string, before: Operation, after: Operation): FoundChanges {
    const [old, now] = [before.requestBody, after.requestBody]
    if (now?.required === true && old?.required !== true)
      yield { kind: 'body required', place, what: 'a request body is now required' }
    yield* this.#contents('asked', `${place} body`, old?.content, now?.content)
  }

  *#answers(place: string, before: Operation, after: Operation): FoundChanges {
    for (const [status, declared] of Object.entries(before.responses ?? {})) {
      const now = after.responses?.[status]
      if (now === undefined) {
        yield { kind: 'status dropped', place, what: `${status} was removed from the responses` }
        continue
      }
      const [answer, same] = [
        resolveReference<Answer>(this.#released, declared),
        resolveReference<Answer>(this.#present, now),
      ]
      for (const name of Object.keys(answer.headers ?? {})) {
        if (same.headers?.[name] === undefined)
          yield { kind: 'header dropped', place: `${place} ${status}`, what: `the header ${name} was removed` }
      }
      yield* this.#contents('answered', `${place} ${status}`, answer.content, same.content)
    }
  }

  *#contents(
    direction: SchemaDirection,
    place: string,
    before: Answer['content'],
    after: Answer['content'],
  ): FoundChanges {
    for (const [type, { schema }] of Object.entries(before ?? {})) {
      const same = after?.[type]
      if (same === undefined) yield { kind: 'media type dropped', place, what: `${type} was removed` }
      else yield* this.#schemas(direction, place, schema, same.schema)
    }
  }

  *#events(): FoundChanges {
    for (const [type, declared] of Object.entries(this.#released.webhooks ?? {})) {
      const before = (declared as { post: Operation }).post
      const after = (this.#present.webhooks?.[type] as { post: Operation } | undefined)?.post
      if (after === undefined) {
        yield { kind: 'event removed', place: type, what: 'the event was removed' }
        continue
      }
      const sent = this.#declared(this.#present, after)
      for (const [key, { name, required }] of this.#declared(this.#released, before)) {
        if (sent.get(key) === undefined || (required === true && sent.get(key)?.required !== true))
          yield { kind: 'header dropped', place: type, what: `${name} is now optional` }
      }
      yield* this.#contents('answered', type, before.requestBody?.content, after.requestBody?.content)
    }
  }

  *#skills(): FoundChanges {
    for (const [name, declared] of Object.entries(this.#released['x-skills'] ?? {})) {
      const [before, after] = [declared as Skill, this.#present['x-skills']?.[name] as Skill | undefined]
      if (after === undefined) {
        yield { kind: 'skill removed', place: name, what: 'the skill was removed' }
        continue
      }
      yield* compareNewPermissions(name, before.permissions, after.permissions)
      yield* this.#schemas('asked', `${name} input`, before.input, after.input)
      yield* this.#schemas('answered', `${name} output`, before.output, after.output)
    }
  }

  *#schemas(
    direction: SchemaDirection,
    place: string,
    before: Schema | undefined,
    after: Schema | undefined,
    seen: ReadonlySet<string> = new Set(),
  ): FoundChanges {
    if (before === undefined || after === undefined) return
    if (before.$ref === undefined || after.$ref === undefined) {
      yield* this.#forms(direction, place, before, after, seen)
      return
    }
    // Ends the recursion for a recursive schema, which needs to be compared only once.
    const pair = `${before.$ref} ${after.$ref}`
    if (seen.has(pair)) {
      this.#cut += 1
      return
    }
    // The key contains the whole schemas, because keywords next to a reference also matter.
    const key = `${direction} ${JSON.stringify([before, after])}`
    if (this.#harmless.has(key)) return
    const cutBefore = this.#cut
    const found = [...this.#forms(direction, place, before, after, new Set([...seen, pair]))]
    // A comparison that was cut short does not prove that the pair is harmless.
    if (found.length === 0 && this.#cut === cutBefore) this.#harmless.add(key)
    yield* found
  }

  /** Compares the variants of one schema with the variants of the other schema. */
  *#forms(
    direction: SchemaDirection,
    place: string,
    before: Schema,
    after: Schema,
    seen: ReadonlySet<string>,
  ): FoundChanges {
    const old = listVariants(this.#released, before)
    const now = listVariants(this.#present, after)
    // For input, every old variant must still be accepted. For output, every new variant must be one that clients
    // already know.
    const [held, against] = direction === 'asked' ? [old, now] : [now, old]
    for (const variant of held) {
      const candidates = against
        .filter((candidate) => coversVariant(candidate, variant))
        .map((candidate) => {
          const [from, to] = direction === 'asked' ? [variant, candidate] : [candidate, variant]
          return [...this.#plain(direction, place, from, to, seen)]
        })
      const best = candidates.sort((a, b) => a.length - b.length)[0]
      if (best !== undefined) yield* best
      else {
        const verb = direction === 'asked' ? 'is no longer accepted' : 'is now possible'
        yield { kind: 'type changed', place, what: `${variant.type} ${verb}` }
      }
    }
    const [first, second] = [resolveSchema(this.#released, before), resolveSchema(this.#present, after)]
    if (direction === 'asked' && JSON.stringify(first.default) !== JSON.stringify(second.default)) {
      const reported = [first.default, second.default].map((value) => JSON.stringify(value) ?? 'nothing')
      yield { kind: 'default changed', place, what: `the default changed from ${reported[0]} to ${reported[1]}` }
    }
  }

  /** Compares two variants that have the same type. */
  *#plain(
    direction: SchemaDirection,
    place: string,
    before: Variant,
    after: Variant,
    seen: ReadonlySet<string>,
  ): FoundChanges {
    yield* compareValues(direction, place, before, after)
    const [old, now] = [before.schema, after.schema]
    if (
      getFormat(old) !== getFormat(now) &&
      (direction === 'asked' ? now.format !== undefined : old.format !== undefined)
    ) {
      yield {
        kind: 'format changed',
        place,
        what: `${String(old.format ?? 'any')} changed to ${String(now.format ?? 'any')}`,
      }
    }
    if (direction === 'asked') yield* compareBounds(place, old, now)
    if (before.type === 'array')
      yield* this.#schemas(direction, `${place}/[]`, old.items as Schema, now.items as Schema, seen)
    if (before.type === 'object') yield* this.#fields(direction, place, old, now, seen)
  }

  *#fields(
    direction: SchemaDirection,
    place: string,
    before: Schema,
    after: Schema,
    seen: ReadonlySet<string>,
  ): FoundChanges {
    const [old, now] = [listProperties(before), listProperties(after)]
    const [demanded, demands] = [listRequired(before), listRequired(after)]
    const isOpen = after.additionalProperties !== false
    for (const [name, schema] of Object.entries(old)) {
      const field = `${place}/${name}`
      if (now[name] !== undefined) yield* this.#schemas(direction, field, schema, now[name], seen)
      else if (direction === 'answered' || !isOpen) {
        yield {
          kind: 'field removed',
          place: field,
          what: direction === 'asked' ? 'the field is no longer accepted' : 'the field was removed',
        }
        continue
      }
      if (direction === 'answered' && demanded.has(name) && !demands.has(name))
        yield { kind: 'field optional', place: field, what: 'the field is now optional' }
    }
    if (direction === 'answered') return
    for (const name of demands) {
      if (!demanded.has(name))
        yield { kind: 'field required', place: `${place}/${name}`, what: 'the field is now required' }
    }
    if (before.additionalProperties !== false && !isOpen)
      yield { kind: 'type changed', place, what: 'fields with other names are no longer accepted' }
    if (isSchema(before.additionalProperties) && isSchema(after.additionalProperties))
      yield* this.#schemas(direction, `${place}/*`, before.additionalProperties, after.additionalProperties, seen)
  }
}

/** One of the forms that a value can have. `anyOf` and lists of types are split into such forms. */
interface Variant {
  type: string
  schema: Schema
  /** The name of the component, if the form is a component. */
  component: string | undefined
}

function listVariants(document: ContractSnapshot, schema: Schema, component?: string): Variant[] {
  if (typeof schema.$ref === 'string') return listVariants(document, resolveSchema(document, schema), schema.$ref)
  const union = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (union !== undefined) return union.flatMap((each) => listVariants(document, each))
  const types = schema.type === undefined ? [describeType(schema)] : ([schema.type].flat() as string[])
  return types.map((type) => ({ type, schema, component }))
}

// For a constant, no type is needed.
function describeType({ const: constant, properties }: Schema): string {
  if (constant !== undefined) return typeof constant
  return properties === undefined ? 'any' : 'object'
}

/** Returns whether the type of the first variant includes every value of the type of the second variant. */
function coversVariant(general: Variant, special: Variant): boolean {
  if (general.type === special.type || general.type === 'any') return true
  return general.type === 'number' && special.type === 'integer'
}

function* compareValues(direction: SchemaDirection, place: string, before: Variant, after: Variant): FoundChanges {
  if (before.type === 'null') return
  const [old, now] = [listValues(before.schema), listValues(after.schema)]
  const gone = old?.filter((value) => now !== undefined && !now.includes(value)) ?? []
  const added = now?.filter((value) => old !== undefined && !old.includes(value)) ?? []
  if (direction === 'asked') {
    if (old === undefined && now !== undefined)
      yield { kind: 'type changed', place, what: `only ${now.join(', ')} is accepted` }
    for (const value of gone) yield { kind: 'enum value removed', place, what: `${value} is no longer accepted` }
  } else {
    if (old !== undefined && now === undefined) yield { kind: 'type changed', place, what: 'any value is now possible' }
    if (after.component !== undefined && EXTENSIBLE_LISTS.includes(after.component)) return
    for (const value of added) yield { kind: 'enum value added', place, what: `${value} is now possible` }
  }
}

function listValues(schema: Schema): string[] | undefined {
  const listed = schema.const !== undefined ? [schema.const] : (schema.enum as unknown[] | undefined)
  return listed?.filter((value) => value !== null).map((value) => JSON.stringify(value))
}

const UPPER_BOUNDS = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']
const LOWER_BOUNDS = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']

function* compareBounds(place: string, before: Schema, after: Schema): FoundChanges {
  const tightened = (name: string, isTighter: (old: number, now: number) => boolean): boolean => {
    const [old, now] = [before[name], after[name]]
    return typeof now === 'number' && (typeof old !== 'number' || isTighter(old, now))
  }
  const names = [
    ...UPPER_BOUNDS.filter((name) => tightened(name, (old, now) => now < old)),
    ...LOWER_BOUNDS.filter((name) => tightened(name, (old, now) => now > old)),
  ]
  if (after.pattern !== undefined && after.pattern !== before.pattern && !isSamePattern(before.pattern, after.pattern))
    names.push('pattern')
  if (after.uniqueItems === true && before.uniqueItems !== true) names.push('uniqueItems')
  for (const name of names) {
    const reported = [before[name] ?? 'nothing', after[name]].map(String)
    yield { kind: 'bound tightened', place, what: `${name} changed from ${reported[0]} to ${reported[1]}` }
  }
}

function* compareNewPermissions(place: string, before: readonly string[], after: readonly string[]): FoundChanges {
  for (const permission of after) {
    if (!before.includes(permission)) yield { kind: 'permission added', place, what: `${permission} is now required` }
  }
}

function listPermissions(document: ContractSnapshot, { security = document.security ?? [] }: Operation): string[] {
  return security.flatMap((requirement) => Object.values(requirement).flat())
}

/**
 * Returns the format of a schema. Treats percent as money, because percentages used the format of money while both had
 * two decimals.
 */
function getFormat({ format }: Schema): unknown {
  return format === 'percent' ? 'money' : format
}

// Adds the parameters that the path declares for all of its methods.
function mergeSharedParameters(operation: Operation, item: Record<string, unknown> | undefined): Operation {
  const shared = (item?.parameters ?? []) as unknown[]
  return { ...operation, parameters: [...shared, ...(operation.parameters ?? [])] }
}

function resolveSchema(document: ContractSnapshot, schema: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema
  const { $ref: _, ...beside } = schema
  return { ...resolveSchema(document, resolveReference<Schema>(document, schema)), ...beside }
}

function resolveReference<T>(document: ContractSnapshot, value: unknown): T {
  const { $ref } = value as { $ref?: unknown }
  if (typeof $ref !== 'string') return value as T
  const target = $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>(
      (place, key) => (place as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
  if (target === undefined) throw new Error(`The reference ${$ref} does not match anything in the contract.`)
  return resolveReference<T>(document, target)
}

function listProperties(schema: Schema): Record<string, Schema> {
  return (schema.properties ?? {}) as Record<string, Schema>
}

function listRequired(schema: Schema): ReadonlySet<string> {
  return new Set((schema.required ?? []) as string[])
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null
}

function isSamePattern(before: unknown, after: unknown): boolean {
  return SAME_PATTERNS.some(([old, present]) => old === before && present === after)
}

/** Pairs of equivalent patterns. The first uses lookaround, which model providers reject, and the second does not. */
const SAME_PATTERNS: readonly (readonly [string, string])[] = [
  ['^(?!0000)', '^0{0,3}[^0]'],
  [
    '^(whsec_([A-Za-z0-9+/]{4}){4,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(?!whsec_)[\\s\\S]*)$',
    '^(whsec_([A-Za-z0-9+/]{4}){4,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|([^w]|w[^h]|wh[^s]|whs[^e]|whse[^c]|whsec[^_])[\\s\\S]*)$',
  ],
]
