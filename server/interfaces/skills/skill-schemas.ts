import type { Contract, Operation, ResponseObject, Schema } from '../../platform/calls/contract.ts'
import { ContractError } from '../../platform/calls/contract.ts'
import { decimalFormats } from '../../platform/problems/formats.ts'

/**
 * A schema of a skill, derived from the contract. The input of a skill is one flat object with the path parameters,
 * query parameters, and body fields of its operation. A lint rule ensures that their names differ. The schema contains
 * no references, because a reader may not have the rest of the contract.
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
  // An update must change at least one field, besides the fields that identify the record.
  const min = typeof body?.minProperties === 'number' ? { minProperties: body.minProperties + required.length } : {}
  if (Object.keys(properties).length !== own + Object.keys(body?.properties ?? {}).length) {
    throw new ContractError(`Expected the inputs of ${operation.id} to have unique names.`)
  }
  return { type: 'object', additionalProperties: false, required, ...min, properties }
}

/**
 * Returns the schema of an operation's result: the body of the success response. Without a body, the schema allows only
 * null.
 */
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

/** Returns an object schema in which all references are replaced with their targets. */
export function toObjectSchema(contract: Contract, schema: Schema, of: string): ObjectSchema {
  const { properties, required = [], ...rest } = inlineReferences(contract, schema)
  if (rest.type !== 'object' || properties === undefined)
    throw new ContractError(`Expected the input of ${of} to be a plain object.`)
  return { ...rest, required: required as string[], properties: properties as Record<string, Schema> }
}

/**
 * Returns a schema in which all references are replaced with their targets. Keywords next to a reference take
 * precedence over the target.
 */
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
 * Replaces the contract's custom formats with descriptions in words. JSON Schema could express the formats with
 * `multipleOf`, but validators that use binary floating point reject 1.15 as a multiple of 0.01.
 */
export function toPublishedSchema<S extends Schema>(schema: S): S {
  // Removes keywords that are not part of JSON Schema, because strict validators reject them.
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
 * Shortens an input schema without changing its meaning, because a model reads all inputs before it chooses a skill.
 * Turns `null` from an alternative into one of the types, and leaves out what all IDs have in common. An example ID is
 * reduced to the prefix of its kind or left out, because a wrong example is worse than none.
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
  /** Example IDs by the name of the field that contains the ID. */
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
 * Converts an `anyOf` with a simple type and null to one schema with both types. Keywords next to the `anyOf` take
 * precedence.
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
 * Removes nulls that stand for missing values. A model that must send every parameter sends null for those that it does
 * not need. Keeps null if it is a valid value.
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

/** Parses texts where the schema expects an object or a list, because some clients send nested values as JSON text. */
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

/** Parses a JSON text. Returns any other text unchanged, so that validation reports the error. */
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

/** Returns the alternatives of a schema; if it has none, the schema itself. */
function listVariants(schema: Schema): Schema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as Schema[]) : [schema]
}

/** Returns a copy of the schema in which `change` replaces each directly nested schema. */
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
