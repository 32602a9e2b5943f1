import type { Contract, Operation, ResponseObject, Schema } from '../../platform/calls/contract.ts'
import { ContractError } from '../../platform/calls/contract.ts'
import { decimalFormats } from '../../platform/problems/formats.ts'

/**
 * The schemas of skills, derived from the contract. A skill accepts one flat object that combines an operation's path
 * parameters, query parameters, and body fields. A lint rule keeps their names distinct. Each schema is self-contained,
 * because a reader may not have the rest of the contract.
 */
export type ObjectSchema = Schema & { properties: Record<string, Schema>; required: string[] }

/**
 * Returns the input schema of an operation in the flat form that a skill accepts. `ifMatch` represents the If-Match
 * header.
 */
export function toFlatInputSchema(contract: Contract, operation: Operation): ObjectSchema {
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where, description, schema, required: isRequired } = contract.resolve(declared)
    const isIfMatch = where === 'header' && name === 'If-Match'
    if (where !== 'path' && where !== 'query' && !isIfMatch) continue
    const field = isIfMatch ? 'ifMatch' : name
    properties[field] = { ...inlineReferences(contract, schema), ...(description !== undefined && { description }) }
    if (isRequired === true) required.push(field)
  }
  const own = Object.keys(properties).length
  const body = bodySchema(contract, operation)
  if (body !== null) {
    Object.assign(properties, body.properties)
    required.push(...body.required)
  }
  // An update must change at least one field in addition to the fields that identify the record.
  const min = typeof body?.minProperties === 'number' ? { minProperties: body.minProperties + required.length } : {}
  if (Object.keys(properties).length !== own + Object.keys(body?.properties ?? {}).length) {
    throw new ContractError(`Expected the inputs of ${operation.id} to have unique names.`)
  }
  return { type: 'object', additionalProperties: false, required, ...min, properties }
}

/** Returns the result schema of an operation: the body of the success response, or null if there is no body. */
export function getResultSchema(contract: Contract, operation: Operation): Schema {
  const success = Object.keys(operation.declaration.responses).find((status) => status.startsWith('2'))
  const response = contract.resolve<ResponseObject>(
    operation.declaration.responses[success ?? ''] ?? { description: '' },
  )
  const [media] = Object.values(response.content ?? {})
  return media === undefined ? { type: 'null' } : inlineReferences(contract, media.schema)
}

function bodySchema(contract: Contract, operation: Operation): ObjectSchema | null {
  const declared = operation.declaration.requestBody?.content['application/json']?.schema
  return declared === undefined ? null : toObjectSchema(contract, declared, operation.id)
}

/** Returns an object schema with all references inlined. */
export function toObjectSchema(contract: Contract, schema: Schema, of: string): ObjectSchema {
  const { properties, required = [], ...rest } = inlineReferences(contract, schema)
  if (rest.type !== 'object' || properties === undefined)
    throw new ContractError(`Expected the input of ${of} to be a plain object.`)
  return { ...rest, required: required as string[], properties: properties as Record<string, Schema> }
}

/** Returns a schema with all references inlined. Keywords next to a reference override its target. */
export function inlineReferences(contract: Contract, schema: Schema, under: readonly string[] = []): Schema {
  const { $ref, ...beside } = schema
  if (typeof $ref !== 'string') return mapNestedSchemas(schema, (inner) => inlineReferences(contract, inner, under))
  if (under.includes($ref))
    throw new ContractError(`Expected ${$ref} not to contain itself, because a recursive schema cannot be inlined.`)
  const target = contract.resolve<Schema>({ $ref })
  return {
    ...inlineReferences(contract, target, [...under, $ref]),
    ...mapNestedSchemas(beside, (inner) => inlineReferences(contract, inner, under)),
  }
}

/**
 * Replaces the service's own formats with a description in words. (JSON Schema could express such formats with
 * `multipleOf`, but validators that use binary floating point reject 1.15 as a multiple of 0.01.)
 */
export function toPublishedSchema<S extends Schema>(schema: S): S {
  // Strict validators reject keywords that are not part of JSON Schema.
  const { format, ...rest } = Object.fromEntries(
    Object.entries(mapNestedSchemas(schema, toPublishedSchema)).filter(([keyword]) => !keyword.startsWith('x-')),
  )
  if (format === undefined) return rest as unknown as S
  if (typeof format !== 'string' || !Object.hasOwn(decimalFormats, format)) return { ...rest, format } as unknown as S
  const said = typeof rest.description === 'string' ? rest.description : ''
  const decimals = DECIMALS_IN_WORDS[format as keyof typeof decimalFormats]
  return { ...rest, description: said.includes('decimals') ? said : `${said} ${decimals}`.trim() } as unknown as S
}

const DECIMALS_IN_WORDS: Readonly<Record<keyof typeof decimalFormats, string>> = {
  money: 'No more decimals than the currency has.',
  percent: 'At most two decimals.',
  'unit-price': 'At most four decimals.',
  quantity: 'At most four decimals.',
}

/**
 * Returns an equivalent input schema in as few words as possible, because a model reads all inputs before it chooses a
 * skill. `null` becomes one of the types instead of an alternative, and common properties of all IDs are omitted. A
 * wrong example is worse than no example, so an ID is shown only by the prefix of its kind, or not at all.
 */
export function toConciseSchema(contract: Contract, schema: ObjectSchema): ObjectSchema {
  return shortenSchema(schema, '', findIdPatterns(contract)) as ObjectSchema
}

function shortenSchema(schema: Schema, field: string, ids: IdPatterns): Schema {
  const merged = mergeNullType(schema)
  const { properties, items, ...rest } = merged
  const short: Schema = mapNestedSchemas(rest, (inner) => shortenSchema(inner, field, ids))
  if (ids.isAnyId(rest)) {
    const { examples: _, description, ...bare } = short
    const example = ids.shown.get(field.replace(/s$/, ''))
    const said = description === ids.said ? {} : { description }
    return { ...bare, ...said, ...(example !== undefined && { examples: [example] }) }
  }
  const inside = asObject(properties)
  if (inside !== null) {
    const entries = Object.entries(inside as Record<string, Schema>)
    short.properties = Object.fromEntries(entries.map(([name, inner]) => [name, shortenSchema(inner, name, ids)]))
  }
  const item = asObject(items)
  if (item !== null) short.items = shortenSchema(item, field, ids)
  return short
}

interface IdPatterns {
  isAnyId(schema: Schema): boolean
  /** The description that all IDs share. */
  said: unknown
  /** An example ID of the record that a field refers to, by field name. */
  shown: ReadonlyMap<string, unknown>
}

function findIdPatterns(contract: Contract): IdPatterns {
  const { schemas = {}, parameters = {} } = contract.document.components
  const { examples, description } = (schemas.ResourceId ?? {}) as Schema
  const [any] = (examples ?? []) as unknown[]
  const inPaths = Object.values(parameters) as { name?: string; in?: string; example?: unknown }[]
  return {
    isAnyId: (schema) => any !== undefined && Array.isArray(schema.examples) && schema.examples[0] === any,
    said: description,
    shown: new Map(
      inPaths.flatMap(({ name, in: where, example }) =>
        where === 'path' && name !== undefined && typeof example === 'string' ? [[name, example] as const] : [],
      ),
    ),
  }
}

/**
 * Converts an `anyOf` with a plain type and null to one schema with both types. Outer keywords take precedence over
 * inner keywords.
 */
function mergeNullType(schema: Schema): Schema {
  const { anyOf, ...outer } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [inner, none] = anyOf as Schema[]
  if (inner === undefined || none?.type !== 'null' || typeof inner.type !== 'string' || 'const' in inner) return schema
  const listed = Array.isArray(inner.enum) ? { enum: [...inner.enum, null] } : {}
  return { ...inner, ...outer, ...listed, type: [inner.type, 'null'] }
}

/**
 * Removes nulls that mean "omitted". A model that must send every parameter sends null for parameters that it does not
 * need. If null is a valid value, it is kept.
 */
export function omitNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = asObject(schema.items)
    return items === null ? value : value.map((item) => omitNulls(items, item))
  }
  if (typeof value !== 'object' || value === null) return value
  const form = listVariants(schema).find((variant) => variant.properties !== undefined)
  if (form === undefined) return value
  const properties = form.properties as Record<string, Schema>
  const required = (form.required ?? []) as string[]
  const stored = Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (property === undefined) return [[name, inner]]
    if (inner === null && !canBeNull(property) && !required.includes(name)) return []
    return [[name, omitNulls(property, inner)]]
  })
  return Object.fromEntries(stored)
}

/** Parses JSON text if the schema expects an object or a list. Some clients send nested values as text. */
export function parseJsonTexts(schema: Schema, value: unknown): unknown {
  if (typeof value === 'string' && !acceptsType(schema, 'string')) {
    const begins = value.trimStart()[0]
    const isExpected =
      (begins === '{' && acceptsType(schema, 'object')) || (begins === '[' && acceptsType(schema, 'array'))
    return isExpected ? parseJsonTexts(schema, tryParseJson(value)) : value
  }
  if (Array.isArray(value)) {
    const items = listVariants(schema)
      .map(({ items }) => asObject(items))
      .find((each) => each !== null)
    return items === undefined || items === null ? value : value.map((item) => parseJsonTexts(items, item))
  }
  if (typeof value !== 'object' || value === null) return value
  const form = listVariants(schema).find(({ properties }) => properties !== undefined)
  if (form === undefined) return value
  const properties = form.properties as Record<string, Schema>
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, property === undefined ? inner : parseJsonTexts(property, inner)]
    }),
  )
}

/** Returns the parsed text, or the text itself if it is not JSON, so that validation reports the error. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function acceptsType(schema: Schema, type: string): boolean {
  return listVariants(schema).some((each) => [each.type ?? []].flat().includes(type))
}

export function canBeNull(schema: Schema): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(null)
  if (schema.type !== undefined) return [schema.type].flat().includes('null')
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Schema[]).some(canBeNull)
  return !('const' in schema)
}

/** Returns the schema's alternatives, or the schema itself if there are no alternatives. */
function listVariants(schema: Schema): Schema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as Schema[]) : [schema]
}

/** Returns a copy of the schema in which each directly nested schema is replaced. */
export function mapNestedSchemas(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const copy: Schema = { ...schema }
  if (asObject(schema.properties) !== null) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties as Record<string, Schema>).map(([name, inner]) => [name, change(inner)]),
    )
  }
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = asObject(schema[keyword])
    if (inner !== null) copy[keyword] = change(inner)
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    if (Array.isArray(schema[keyword])) copy[keyword] = (schema[keyword] as Schema[]).map(change)
  }
  return copy
}

function asObject(value: unknown): Schema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : null
}
