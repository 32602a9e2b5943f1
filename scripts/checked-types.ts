import {
  type ContractDocument,
  type ParameterObject,
  readContract,
  type Schema,
} from '../server/platform/calls/contract.ts'

/**
 * Generates types with the fields of an input that are always set, because the validator fills in a default from the
 * contract. The contract's own types describe what may be sent, so there these fields are optional.
 */
export function writeCheckedTypes(document: ContractDocument): string {
  const schemas = (document.components.schemas ?? {}) as Record<string, Schema>
  const filled = new Map(Object.keys(schemas).map((name) => [name, listFilledFields(name, schemas, [])]))
  const types: string[] = []
  const used = new Set<string>()
  /** The inputs of skills without defaults. */
  const plain = new Set<string>()
  for (const [name, { own, inner }] of filled) {
    if (own.length === 0 && inner.size === 0) continue
    used.add(name)
    const members = [...inner].map(([field, type]) => `${field}: ${type}`)
    const fields = members.length > 0 ? `, { ${members.join('; ')} }` : ''
    types.push(`  ${name}: WithDefaults<${name}, ${toUnion(own)}${fields}>\n`)
  }
  const contract = readContract(document)
  const queries: string[] = []
  const bodies: string[] = []
  for (const { id, declaration } of contract.operations.values()) {
    const parameters = (declaration.parameters ?? []).map((one) => contract.resolve<ParameterObject>(one))
    const names = parameters.flatMap(({ in: where, name, schema }) =>
      where === 'query' && contract.resolve<Schema>(schema).default !== undefined ? [name] : [],
    )
    if (names.length > 0) queries.push(`  ${id}: ${toUnion(names)}\n`)
    const body = schemaName(declaration.requestBody?.content['application/json']?.schema ?? {})
    if (body !== null && used.has(body)) bodies.push(`  ${id}: Checked['${body}']\n`)
  }
  const skills = Object.entries((document['x-skills'] ?? {}) as Record<string, { input: Schema }>)
  const inputs = skills.map(([skill, { input }]) => {
    const name = schemaName(input) ?? ''
    if (filled.has(name) && !used.has(name)) plain.add(name)
    return `  ${skill}: ${used.has(name) ? `Checked['${name}']` : name}\n`
  })
  return [
    "/** Inputs as the validator leaves them, with the contract's defaults filled in. Made by `npm run generate`. */\n",
    `import type { ${[...used, ...plain].sort().join(', ')} } from '../../../client/contract.gen.ts'\n`,
    "import type { WithDefaults } from './operation.ts'\n\n",
    `export interface Checked {\n${types.join('')}}\n\n`,
    `/** The inputs of the composite skills. */\nexport interface CheckedSkills {\n${inputs.join('')}}\n\n`,
    `export interface CheckedBodies {\n${bodies.join('')}}\n\n`,
    `/** The parameters of a query that are always there. */\nexport interface FilledQueries {\n${queries.join('')}}\n`,
  ].join('')
}

interface FilledFields {
  /** The fields with a default of their own. */
  own: string[]
  /** The fields that contain a field with a default, and their type once it is filled in. */
  inner: Map<string, string>
}

function listFilledFields(name: string, schemas: Record<string, Schema>, above: readonly string[]): FilledFields {
  const own: string[] = []
  const inner = new Map<string, string>()
  for (const [field, schema] of Object.entries((schemas[name]?.properties ?? {}) as Record<string, Schema>)) {
    if (schema.default !== undefined) own.push(field)
    const isList = schema.type === 'array'
    const item = schemaName(isList ? ((schema.items ?? {}) as Schema) : schema)
    if (item === null || above.includes(item)) continue
    const { own: ofItem, inner: below } = listFilledFields(item, schemas, [...above, name])
    if (ofItem.length > 0 || below.size > 0) inner.set(field, `Checked['${item}']${isList ? '[]' : ''}`)
  }
  return { own, inner }
}

function schemaName(schema: Schema): string | null {
  return typeof schema.$ref === 'string' ? (/^#\/components\/schemas\/(\w+)$/.exec(schema.$ref)?.[1] ?? null) : null
}

function toUnion(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => `'${name}'`).join(' | ')
}
