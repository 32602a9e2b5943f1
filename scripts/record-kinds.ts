import type { ContractDocument, Schema } from '../server/platform/calls/contract.ts'

/**
 * Generates the kind of each field in each record of the contract, in the contract's order.
 * server/platform/resources/columns.ts compares the columns with them. A record is a schema that has an ID, a creator,
 * and a creation time.
 */
export function generateRecordKinds(document: ContractDocument): string {
  const schemas = (document.components.schemas ?? {}) as Record<string, Schema>
  const records = Object.entries(schemas).flatMap(([name, { properties }]) => {
    const fields = (properties ?? {}) as Record<string, Schema>
    if (!RECORD_FIELDS.every((field) => Object.hasOwn(fields, field))) return []
    // Leaves out fields that `expand` adds, because they are not part of the record.
    const others = document['x-expands']?.[name] ?? {}
    const own = Object.entries(fields).filter(([field]) => !Object.hasOwn(others, field))
    const lines = own.map(
      ([field, schema]) => `    ${field}: '${findFieldKind(document, schema, `${name}.${field}`)}',\n`,
    )
    return [`  ${name}: {\n${lines.join('')}  },\n`]
  })
  return [
    "/** The kind of value in each field of the contract's records. Generated from the contract's schemas by `npm run generate`. */\n",
    `export const kinds = {\n${records.join('')}} as const\n`,
  ].join('')
}

const RECORD_FIELDS = ['id', 'createdBy', 'createdAt']

/** Returns the kind of a field based on its schema. A question mark at the end means that the field may be null. */
export function findFieldKind(document: ContractDocument, schema: Schema, field: string): string {
  const variants = listVariants(document, schema)
  const some = variants.filter((variant) => variant.type !== 'null')
  const kinds = new Set(some.map((variant) => findPlainKind(document, variant)))
  const [kind] = kinds
  if (kind === undefined || kind === null || kinds.size > 1)
    throw new Error(`Expected ${field} to have a single, plain type.`)
  return some.length < variants.length ? `${kind}?` : kind
}

/** Resolves the references and alternatives of a schema. Returns one variant for each type that it allows. */
function listVariants(document: ContractDocument, schema: Schema): Schema[] {
  if (typeof schema.$ref === 'string') return listVariants(document, findComponent(document, schema.$ref))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives)) return (alternatives as Schema[]).flatMap((one) => listVariants(document, one))
  return [schema.type].flat().map((type) => ({ ...schema, type }))
}

function findComponent(document: ContractDocument, $ref: string): Schema {
  const name = /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1] ?? ''
  const schema = document.components.schemas?.[name]
  if (schema === undefined) throw new Error(`Expected ${$ref} to refer to a schema.`)
  return schema as Schema
}

function findPlainKind(
  document: ContractDocument,
  { type, format, items, enum: few, const: one }: Schema,
): string | null {
  if (type === 'boolean') return 'boolean'
  if (type === 'integer') return 'integer'
  if (type === 'number') return 'decimal'
  if (type === 'object') return 'json'
  if (type === 'array') {
    const variants = listVariants(document, (items ?? {}) as Schema)
    return variants.every((variant) => variant.type === 'string') ? 'texts' : 'json'
  }
  if (type !== 'string') return null
  const values = (one === undefined ? few : [one]) as unknown[] | undefined
  // Lists contain the values of an enumeration in quotes without escaping, so the values must not need escaping.
  if (values !== undefined)
    return values.every((value) => value === null || SIMPLE_VALUE.test(String(value))) ? 'enum' : 'text'
  if (format === 'date') return 'date'
  return format === 'date-time' ? 'instant' : 'text'
}

const SIMPLE_VALUE = /^[\w .:*+-]*$/
