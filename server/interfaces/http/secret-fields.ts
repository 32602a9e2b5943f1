import type { Contract, Operation, Schema } from '../../platform/calls/contract.ts'

/**
 * Secrets are the fields that the contract marks with `x-secret`. Anyone who knows a secret can act with it. A caller
 * that may only propose changes could use a secret to act without approval, so no read, dry run, or batch returns a
 * secret to such a caller.
 */
export type SecretFields = ReadonlyMap<string, Concealment | SecretFields>

/** The replacement for a secret: null if the schema allows null; otherwise, the field is left out. */
type Concealment = 'null' | 'absent'

/** The key under which the secrets of an array's items are stored. */
const ITEMS = '[]'

/** Returns the secrets in an operation's successful responses; null if there are no secrets. */
export function getSecretFields(contract: Contract, { declaration }: Operation): SecretFields | null {
  const fields = new Map<string, Concealment | SecretFields>()
  for (const [status, declared] of Object.entries(declaration.responses)) {
    const schema = contract.resolve(declared).content?.['application/json']?.schema
    if (status < '300' && schema !== undefined) collect(contract, schema, fields, new Set())
  }
  return fields.size === 0 ? null : fields
}

type Collected = Map<string, Concealment | SecretFields>

function collect(contract: Contract, provided: Schema, into: Collected, seen: ReadonlySet<Schema>): void {
  const schema = contract.resolve(provided) as Schema
  // Stops at a recursive schema. This is safe, because no recursive schema contains a secret.
  if (seen.has(schema)) return
  const within = new Set([...seen, schema])
  for (const variant of ['anyOf', 'oneOf', 'allOf'])
    for (const each of toSchemaList(schema[variant])) collect(contract, each, into, within)
  for (const [name, field] of Object.entries((schema.properties ?? {}) as Record<string, Schema>))
    addField(contract, name, field, into, within)
  if (isSchema(schema.items)) addField(contract, ITEMS, schema.items, into, within)
}

function addField(contract: Contract, name: string, field: Schema, into: Collected, seen: ReadonlySet<Schema>): void {
  const schema = contract.resolve(field) as Schema
  if (field['x-secret'] === true || schema['x-secret'] === true) {
    into.set(name, [schema.type].flat().includes('null') ? 'null' : 'absent')
    return
  }
  const before = into.get(name)
  const inner: Collected = new Map(typeof before === 'object' ? before : [])
  collect(contract, field, inner, seen)
  if (inner.size > 0 && typeof before !== 'string') into.set(name, inner)
}

/** Returns a copy of a response without its secrets. */
export function concealSecretFields(value: unknown, secrets: SecretFields): unknown {
  if (Array.isArray(value)) {
    const inner = secrets.get(ITEMS)
    return typeof inner === 'object' ? value.map((each) => concealSecretFields(each, inner)) : value
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const found = secrets.get(name)
      if (found === undefined) return [[name, inner]]
      if (found === 'absent') return []
      return [[name, found === 'null' ? null : concealSecretFields(inner, found)]]
    }),
  )
}

function toSchemaList(value: unknown): Schema[] {
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
