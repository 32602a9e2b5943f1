import fc from 'fast-check'
import type { Random } from './random.ts'
import { getValueAtPath } from './walked-contract.ts'

/**
 * The source of IDs and URLs for a generator of values. The generator creates values from the contract's schemas: valid
 * values, and values that violate their schema in one location. It knows the keywords that the contract uses, but no
 * particular resources. For an ID, it calls `idFor` with the name of the field.
 */
export interface ValueSources {
  random: Random
  /**
   * Returns an ID for a field with this name, such as `vendorId` or `communityIds`. If undefined, an ID is generated
   * that belongs to no record.
   */
  idFor(field: string): string | undefined
  /** The value of every field named `url`, so that nothing is sent to any other URL. */
  url: string
}

type Schema = Record<string, unknown>

export function makeValidValue(schema: unknown, sources: ValueSources, field = '', depth = 0): unknown {
  const { random } = sources
  const here = resolveSchema(schema)
  if ('const' in here) return here.const
  if (Array.isArray(here.enum)) return random.pick(here.enum)
  const variants = (here.anyOf ?? here.oneOf) as unknown[] | undefined
  if (variants !== undefined) return makeValidValue(random.pick(variants), sources, field, depth)
  const type = random.pick([here.type ?? 'object'].flat() as string[])
  if (type === 'null') return null
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'string') return makeValidText(here, sources, field)
  if (type === 'integer' || type === 'number') return makeValidNumber(here, type === 'integer', random)
  if (type === 'array') return makeValidArray(here, sources, field, depth)
  return makeValidObject(here, sources, depth)
}

function makeValidText(schema: Schema, { random, idFor, url }: ValueSources, field: string): string {
  if (field === 'url') return url
  if (field === 'timeZone') return random.pick(['America/Chicago', 'Pacific/Kiritimati', 'Asia/Kathmandu', 'UTC'])
  const [min, max] = [Number(schema.minLength ?? 0), Number(schema.maxLength ?? 30)]
  if (/(^id|Id|Ids|ids)$/.test(field) && random.chance(0.8)) {
    const id = idFor(field)
    if (id !== undefined && id.length <= max) return id
  }
  switch (schema.format) {
    case 'date':
      return new Date(Date.UTC(random.between(2020, 2035), random.between(0, 11), random.between(1, 28)))
        .toISOString()
        .slice(0, 10)
    case 'date-time':
      return new Date(Date.UTC(random.between(2020, 2035), 0, 1, 0, 0, random.between(0, 31_000_000))).toISOString()
    case 'email':
      return `user${random.between(1, 1e9)}@example.com`
  }
  if (typeof schema.pattern === 'string') {
    const text = makeMatchingText(schema, random)
    // If the pattern requires only a part of the text, the text still matches after it is extended.
    return [...(text.length < min ? text.padEnd(min, 'x') : text)].slice(0, max).join('')
  }
  // Most texts are short. Occasionally, a text has the maximum length, or 3,000 characters if that is less.
  const length = random.chance(0.05) ? Math.min(max, 3000) : random.between(min, Math.max(min, Math.min(max, 30)))
  const alphabet = random.chance(0.8) ? PLAIN_CHARACTERS : STRANGE_CHARACTERS
  return Array.from({ length }, () => random.pick(alphabet))
    .join('')
    .slice(0, Math.max(max, 0))
}

function makeMatchingText(schema: Schema, random: Random): string {
  const pattern = String(schema.pattern)
  // If the pattern allows any text, a random text proves nothing. Such schemas have examples.
  if (pattern.includes('[\\s\\S]')) return random.pick(schema.examples as string[])
  const [text = ''] = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), {
    seed: random.between(0, 2 ** 31),
    numRuns: 1,
  })
  return text
}

const PLAIN_CHARACTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,-']
// Characters that often cause errors in escaping, sorting, length limits, and search patterns.
const STRANGE_CHARACTERS = [
  ...`'"\\%_;:/<>&$\`{}[]()|*?+~^#@!=\t\n\u00e9\u00df\u0131\u0130\u4e2d\u0627\u200b\u202e\ufeff\uffff`,
  '--',
  '/*',
  '$1',
]

function makeValidNumber(schema: Schema, whole: boolean, random: Random): number {
  const min = Number(schema.minimum ?? schema.exclusiveMinimum ?? -1e9)
  const max = Number(schema.maximum ?? schema.exclusiveMaximum ?? 1e9)
  const decimals = whole ? 0 : schema.format === 'money' || schema.format === 'percent' ? 2 : 4
  const edge = random.next()
  if (edge < 0.05 && 'minimum' in schema) return min
  if (edge < 0.1 && 'maximum' in schema) return max
  // Sums of large amounts can overflow, which is worth testing, but not in every request.
  const reach = random.chance(0.9) ? Math.min(max, Math.max(min + 1, 100_000)) : max
  const value = Number((Math.max(min, -100_000) + random.next() * (reach - Math.max(min, -100_000))).toFixed(decimals))
  const within = value > min && value < max ? value : Math.min(Math.max(value, Math.ceil(min)), Math.floor(max))
  return Object.is(within, -0) ? 0 : within
}

function makeValidArray(schema: Schema, sources: ValueSources, field: string, depth: number): unknown[] {
  const min = Number(schema.minItems ?? 0)
  const max = Math.min(Number(schema.maxItems ?? 3), Math.max(min, 3))
  const items = Array.from({ length: sources.random.between(min, max) }, () =>
    makeValidValue(schema.items, sources, field, depth + 1),
  )
  if (schema.uniqueItems !== true) return items
  return items.filter(
    (item, index) => items.findIndex((other) => JSON.stringify(other) === JSON.stringify(item)) === index,
  )
}

function makeValidObject(schema: Schema, sources: ValueSources, depth: number): Record<string, unknown> {
  const { random } = sources
  const properties = Object.entries((schema.properties ?? {}) as Record<string, unknown>)
  const required = (schema.required ?? []) as string[]
  const share = random.pick([0, 0.3, 0.7, 1])
  const chosen = properties.filter(([name]) => required.includes(name) || (depth < 4 && random.chance(share)))
  if (chosen.length < Number(schema.minProperties ?? 0) && properties.length > 0) chosen.push(random.pick(properties))
  return Object.fromEntries(chosen.map(([name, inner]) => [name, makeValidValue(inner, sources, name, depth + 1)]))
}

/**
 * Changes a value so that it violates its schema. The result may still be valid by chance, so the caller must check it.
 */
export function breakValue(schema: unknown, value: unknown, random: Random): unknown {
  const here = resolveSchema(schema)
  if (typeof value === 'object' && value !== null && random.chance(0.7)) {
    const inner = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value)
    if (inner.length > 0) {
      const [key, item] = random.pick(inner as (readonly [string | number, unknown])[])
      const itemSchema = Array.isArray(value) ? here.items : (here.properties as Schema | undefined)?.[key]
      if (itemSchema !== undefined) {
        const copy = structuredClone(value) as Record<string | number, unknown>
        copy[key] = breakValue(itemSchema, item, random)
        return copy
      }
    }
  }
  const ways: unknown[] = [
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    'x',
    '',
    [],
    {},
    [[]],
    [null],
    { unknownField: 1 },
    'é'.repeat(5000),
  ]
  if (typeof value === 'number')
    ways.push(
      value + 0.001,
      value + 0.00001,
      String(value),
      Number(here.maximum ?? 0) + 1,
      Number(here.minimum ?? 0) - 1,
    )
  if (typeof value === 'string')
    ways.push(`${value}${'x'.repeat(Number(here.maxLength ?? 100) + 1)}`, '2026-02-30', 'not@an', ' ')
  if (Array.isArray(value))
    ways.push(
      [...value, ...value, 'x'],
      Array.from({ length: Number(here.maxItems ?? 100) + 1 }, (_, index) => value[0] ?? index),
    )
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    ways.push(
      { ...value, unknownField: 'x' },
      { ...value, id: 'ven_01m7y975jyfesvq69a4tb31vbx' },
      { ...value, organizationId: 'org_1' },
    )
    for (const name of Object.keys(value))
      ways.push(Object.fromEntries(Object.entries(value).filter(([other]) => other !== name)))
  }
  return random.pick(ways)
}

function resolveSchema(schema: unknown): Schema {
  const reference = (schema as { $ref?: unknown } | undefined)?.$ref
  if (typeof reference !== 'string') return (schema ?? {}) as Schema
  return getValueAtPath(...reference.slice('#/'.length).split('/')) as Schema
}
