import type { ContractDocument } from '../server/platform/calls/contract.ts'

type Schema = Record<string, unknown>

/**
 * Copies a document. Each field without a description gets the description of the schema to which it refers, because
 * editors show only the comment of the field.
 */
export function describeReferences(document: ContractDocument): object {
  const schemas = (document.components.schemas ?? {}) as Record<string, Schema>
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, visit(inner)] as const)
    const copy: Schema = Object.fromEntries(entries)
    if (isObject(copy.properties) && !('properties' in copy.properties))
      copy.properties = Object.fromEntries(
        Object.entries(copy.properties).map(([name, field]) => [name, describeField(schemas, field)]),
      )
    return copy
  }
  return visit(document) as object
}

function describeField(schemas: Record<string, Schema>, field: unknown): unknown {
  if (!isObject(field) || typeof field.description === 'string') return field
  const description = findDescription(schemas, field)
  return description === null ? field : { ...field, description }
}

/**
 * Returns the description of a schema. If the schema has none, returns the description of its non-null alternative or
 * of its items. Returns null if these have none either.
 */
function findDescription(schemas: Record<string, Schema>, schema: unknown): string | null {
  if (!isObject(schema)) return null
  const { description, $ref, anyOf, items } = schema
  if (typeof description === 'string') return description
  if (typeof $ref === 'string') return findDescription(schemas, schemas[$ref.split('/').at(-1) ?? ''])
  const [only, ...others] = Array.isArray(anyOf) ? anyOf.filter((each) => isObject(each) && each.type !== 'null') : []
  if (only !== undefined && others.length === 0) return findDescription(schemas, only)
  const ofItems = findDescription(schemas, items)
  return ofItems === null ? null : `Each item: ${ofItems}`
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
