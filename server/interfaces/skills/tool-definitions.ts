import type { FunctionDefinition, ToolDefinition } from '../../../client/contract.gen.ts'
import type { Schema } from '../../platform/calls/contract.ts'
import { MAX_MONEY } from '../../platform/values/money.ts'
import type { Skill } from './skill-catalog.ts'
import { EFFECTS } from './skill-effect.ts'
import { canBeNull, mapNestedSchemas, type ObjectSchema } from './skill-schemas.ts'

/** Converts a skill to a tool definition for AI models. In this format, only the description can contain hints. */
export function toToolDefinition(skill: Skill): ToolDefinition {
  return { name: skill.name, description: describeSkillForModels(skill), input_schema: omitObvious(skill.toolSchema) }
}

/**
 * Removes information that models do not need: the lengths of texts, the form of dates, and examples of numbers. A
 * model reads the schemas of all tools before each response. If it sends a wrong value, the error lists the allowed
 * values.
 */
function omitObvious<S extends Schema>(schema: S): S {
  const { minLength, maxLength, ...short }: Schema = mapNestedSchemas(schema, omitObvious)
  const isDate = short.format === 'date' || short.format === 'date-time'
  const types = [short.type].flat()
  if (short.maximum === MAX_MONEY) delete short.maximum
  if (isDate || short.pattern === NOT_BLANK) delete short.pattern
  if (isDate || types.includes('number') || types.includes('integer')) delete short.examples
  return short as S
}

/**
 * The pattern of a non-blank name. Tool definitions do not contain it, because nobody sends a blank name on purpose.
 */
const NOT_BLANK = '\\S'

export function describeSkillForModels({ description, effect }: Skill): string {
  return `${description} ${EFFECTS[effect].said}`.trim()
}

/**
 * Converts a skill to the function-calling format. Strict functions support only a subset of JSON Schema and require
 * every property. Optional properties therefore also accept null, which executeSkill treats like a missing property. A
 * function cannot be strict if null already has a meaning or if an object allows additional properties.
 */
export function toFunctionDefinition(skill: Skill): FunctionDefinition {
  const { name, toolSchema } = skill
  const strict = !(skill.nullClears && hasOptionalNull(toolSchema)) && isClosed(toolSchema)
  const parameters = strict ? toStrictSchema(omitObvious(toolSchema)) : omitObvious(toolSchema)
  return { type: 'function', function: { name, description: describeSkillForModels(skill), parameters, strict } }
}

function hasOptionalNull({ properties, required }: ObjectSchema): boolean {
  return Object.entries(properties).some(([name, schema]) => !required.includes(name) && canBeNull(schema))
}

function isClosed(schema: Schema): boolean {
  if (schema.type !== undefined && [schema.type].flat().includes('object') && schema.additionalProperties !== false)
    return false
  let closed = true
  mapNestedSchemas(schema, (inner) => {
    closed &&= isClosed(inner)
    return inner
  })
  return closed
}

const STRICT_KEYWORDS = new Set([
  ...['type', 'description', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties', 'items'],
  ...['pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems'],
])
const STRICT_FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'])

function toStrictSchema(schema: Schema): Schema {
  const stored = Object.entries(mapNestedSchemas(schema, toStrictSchema)).filter(([keyword, value]) => {
    if (keyword === 'format') return STRICT_FORMATS.has(String(value))
    return STRICT_KEYWORDS.has(keyword)
  })
  const strict: Schema = Object.fromEntries(stored)
  if (schema.default !== undefined) {
    strict.description = `${[schema.description, `Left out: ${JSON.stringify(schema.default)}.`].filter(Boolean).join(' ')}`
  }
  if (typeof strict.properties === 'object' && strict.properties !== null) {
    const required = (schema.required ?? []) as string[]
    const properties = strict.properties as Record<string, Schema>
    strict.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        required.includes(name) ? property : allowNull(property),
      ]),
    )
    strict.required = Object.keys(properties)
  }
  return strict
}

function allowNull(schema: Schema): Schema {
  if (canBeNull(schema)) return schema
  if (typeof schema.type === 'string' && schema.const === undefined) {
    const listed = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
    return { ...schema, ...listed, type: [schema.type, 'null'] }
  }
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  const { description, ...rest } = schema
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] }
}
