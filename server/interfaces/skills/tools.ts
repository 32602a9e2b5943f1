import type { FunctionDefinition, ToolDefinition } from '../../../client/contract.gen.ts'
import type { Schema } from '../../platform/calls/contract.ts'
import type { Skill } from './catalogue.ts'
import { EFFECTS } from './effect.ts'
import { acceptsNull, mapInner, type ObjectSchema } from './schemas.ts'

/** Returns a skill in the tool-definition format of AI models, where only the description can carry hints. */
export function toTool(skill: Skill): ToolDefinition {
  return { name: skill.name, description: descriptionForModels(skill), input_schema: skill.inputSchema }
}

export function descriptionForModels({ description, effect }: Skill): string {
  return `${description} ${EFFECTS[effect].said}`.trim()
}

/**
 * Returns a skill in the function-calling format. Strict functions support only a subset of JSON Schema and require
 * every property, so optional properties also accept null, which executeSkill treats as omitted. A function cannot be
 * strict if null already has a meaning or an object is open.
 */
export function toFunction(skill: Skill): FunctionDefinition {
  const { name, inputSchema } = skill
  const strict = !(skill.nullClears && hasOptionalNull(inputSchema)) && isClosed(inputSchema)
  const parameters = strict ? strictly(inputSchema) : inputSchema
  return { type: 'function', function: { name, description: descriptionForModels(skill), parameters, strict } }
}

function hasOptionalNull({ properties, required }: ObjectSchema): boolean {
  return Object.entries(properties).some(([name, schema]) => !required.includes(name) && acceptsNull(schema))
}

function isClosed(schema: Schema): boolean {
  if (schema.type !== undefined && [schema.type].flat().includes('object') && schema.additionalProperties !== false)
    return false
  let closed = true
  mapInner(schema, (inner) => {
    closed &&= isClosed(inner)
    return inner
  })
  return closed
}

const STRICT_KEYWORDS = new Set([
  ...['type', 'description', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties', 'items'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
])
const STRICT_FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])

function strictly(schema: Schema): Schema {
  const kept = Object.entries(mapInner(schema, strictly)).filter(([keyword, value]) => {
    if (keyword === 'format') return STRICT_FORMATS.has(String(value))
    if (keyword === 'pattern') return !/\(\?[=!<]/.test(String(value))
    return STRICT_KEYWORDS.has(keyword)
  })
  const strict: Schema = Object.fromEntries(kept)
  if (schema.default !== undefined) {
    strict.description = `${[schema.description, `Left out: ${JSON.stringify(schema.default)}.`].filter(Boolean).join(' ')}`
  }
  if (typeof strict.properties === 'object' && strict.properties !== null) {
    const required = (schema.required ?? []) as string[]
    const properties = strict.properties as Record<string, Schema>
    strict.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        required.includes(name) ? property : orNull(property),
      ]),
    )
    strict.required = Object.keys(properties)
  }
  return strict
}

function orNull(schema: Schema): Schema {
  if (acceptsNull(schema)) return schema
  if (typeof schema.type === 'string' && schema.enum === undefined && schema.const === undefined) {
    return { ...schema, type: [schema.type, 'null'] }
  }
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  const { description, ...rest } = schema
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] }
}
