import type { Contract, ParameterObject, Reference, Schema } from '../../../platform/calls/contract.ts'
import { patternWords } from '../../../platform/problems/formats.ts'
import { type Html, html } from '../page/html.ts'
import { inline } from '../page/page.ts'
import { type Atlas, pageOf } from './atlas.ts'

/** A field or parameter as the reference shows it, with its nested fields. */
export interface Field {
  /** The anchor on the page, such as `createVendor.companyName`. */
  readonly anchor: string
  readonly name: string
  readonly type: Html
  /** The name of the field's schema or of its items' schema; null if the schema has no name. */
  readonly schemaName: string | null
  readonly isRequired: boolean
  readonly isDeprecated: boolean
  /** In Markdown. */
  readonly description: string
  /** Bounds, values and defaults, one sentence each. */
  readonly facts: readonly Html[]
  readonly within: readonly Field[]
}

interface Place {
  readonly atlas: Atlas
  /** The URL of the reference. */
  readonly base: string
  /** Whether to show nested objects in full, as for inputs. Responses link to the section of each object instead. */
  readonly isWhole: boolean
}

/** Deeper than any input of the contract. Bounds the recursion of a schema that contains itself. */
const DEEPEST = 8

export function parameterFields(place: Place, anchor: string, parameters: readonly ParameterObject[]): Field[] {
  return parameters.map(({ name, schema, required = false, description }) => ({
    ...read(place, { ...schema, ...(description !== undefined && { description }) }, `${anchor}.${name}`, DEEPEST),
    ...{ name, isRequired: required },
  }))
}

/** Returns the fields of an object, or an empty list if the schema has no fields of its own. */
export function fieldsOf(place: Place, anchor: string, schema: Schema | Reference, depth = 0): Field[] {
  const { contract } = place.atlas
  const { properties = {}, required = [] } = contract.resolve<Schema>(schema) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, declared]) => ({
    ...read(place, declared, `${anchor}.${name}`, depth),
    ...{ name, isRequired: required.includes(name) },
  }))
}

function read(place: Place, declared: Schema, anchor: string, depth: number): Omit<Field, 'name' | 'isRequired'> {
  const { contract } = place.atlas
  const schema = merged(contract, declared)
  const { description = '', deprecated = false } = schema as { description?: string; deprecated?: boolean }
  const inner = innermost(contract, declared)
  const isLinked = !place.isWhole && inner.name !== null && place.atlas.objectAt(inner.name) !== undefined
  return {
    ...{ anchor, description, isDeprecated: deprecated },
    type: typeOf(place, declared),
    schemaName: inner.name,
    facts: factsOf(contract, schema, inner.schema),
    within: isLinked || depth >= DEEPEST ? [] : fieldsOf(place, anchor, inner.schema, depth + 1),
  }
}

/** Merges a schema with the schema it refers to. Keywords next to the reference take precedence. */
function merged(contract: Contract, { $ref, ...own }: Schema): Schema {
  if (typeof $ref !== 'string') return own
  return { ...merged(contract, contract.resolve<Schema>({ $ref })), ...own }
}

/** Returns the schema of a list's items, or the non-null alternative of a nullable schema. */
function innermost(contract: Contract, declared: Schema): { schema: Schema; name: string | null } {
  const name = typeof declared.$ref === 'string' ? (declared.$ref.split('/').at(-1) ?? null) : null
  const schema = merged(contract, declared)
  const [only, ...others] = alternatives(schema)
  if (only !== undefined && others.length === 0) return innermost(contract, only)
  if (isSchema(schema.items)) return innermost(contract, schema.items)
  return { schema, name }
}

function alternatives({ anyOf }: Schema): Schema[] {
  return Array.isArray(anyOf) ? anyOf.filter(isSchema).filter(({ type }) => type !== 'null') : []
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes a type in words, with a link if it is an object that has a section. */
export function typeOf(place: Place, declared: Schema | Reference): Html {
  const { atlas, base } = place
  const { contract } = atlas
  const schema = merged(contract, declared as Schema)
  const page = pageOf(contract, schema)
  if (page !== null) return html`page of ${typeOf(place, page)}`
  const { $ref } = declared as { $ref?: unknown }
  const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : ''
  const address = place.isWhole ? undefined : atlas.objectAt(name)
  if (address !== undefined) return html`<a href="${base}/${address}">${name}</a>`
  const { anyOf, items, type, format, const: only } = schema
  if (Array.isArray(anyOf)) return joined(anyOf.filter(isSchema).map((each) => typeOf(place, each)))
  if (isSchema(items) && (type === 'array' || Array.isArray(type)))
    return html`list of ${typeOf(place, items)}${Array.isArray(type) ? ' or null' : null}`
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`
  const types = (Array.isArray(type) ? type : [type ?? 'any value']).map(String)
  return html`${types.map((each) => (each === 'null' || typeof format !== 'string' ? each : (FORMATS[format] ?? `${each}, ${format}`))).join(' or ')}`
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? null : ' or '}${part}`)}`
}

const FORMATS: Record<string, string> = {
  'date-time': 'timestamp',
  date: 'date',
  money: 'money',
  percent: 'percentage',
  'unit-price': 'unit price',
  quantity: 'quantity',
}

function factsOf(contract: Contract, outer: Schema, inner: Schema): Html[] {
  const facts: Html[] = []
  const range = (least: unknown, most: unknown, unit: string) => {
    const isAtLeast = typeof least === 'number' && least > 0
    if (isAtLeast && typeof most === 'number')
      facts.push(html`${least === most ? number(most) : `${number(least)} to ${number(most)}`} ${unit}.`)
    else if (isAtLeast) facts.push(html`At least ${number(least)} ${unit}.`)
    else if (typeof most === 'number') facts.push(html`At most ${number(most)} ${unit}.`)
  }
  const shown = { ...inner, ...withoutLists(outer) }
  range(outer.minItems, outer.maxItems, 'items')
  if (outer.uniqueItems === true) facts.push(html`No duplicates.`)
  range(shown.minLength, shown.maxLength, 'characters')
  range(outer.minProperties, outer.maxProperties, 'entries')
  const { minimum, maximum, exclusiveMinimum } = shown
  if (typeof minimum === 'number' && typeof maximum === 'number')
    facts.push(html`From ${number(minimum)} to ${number(maximum)}.`)
  else if (typeof minimum === 'number') facts.push(html`At least ${number(minimum)}.`)
  else if (typeof maximum === 'number') facts.push(html`At most ${number(maximum)}.`)
  if (typeof exclusiveMinimum === 'number') facts.push(html`More than ${number(exclusiveMinimum)}.`)
  const { enum: values, pattern, additionalProperties } = shown
  if (Array.isArray(values))
    facts.push(html`One of ${values.map((value, at) => html`${at === 0 ? null : ', '}<code>${String(value)}</code>`)}.`)
  if (typeof pattern === 'string') facts.push(formOf(pattern))
  if (isSchema(additionalProperties)) {
    const { description } = merged(contract, additionalProperties) as { description?: string }
    if (description !== undefined) facts.push(html`Each value: ${inline(description)}`)
  }
  if (outer.default !== undefined && outer.default !== null)
    facts.push(html`Default: <code>${JSON.stringify(outer.default)}</code>.`)
  return facts
}

/** Describes a pattern in the words of its validation error. Only patterns of responses have no such words. */
function formOf(pattern: string): Html {
  const words = patternWords[pattern]
  if (words === undefined) return html`Pattern: <code>${pattern}</code>.`
  return html`${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

function withoutLists({ items: _, ...schema }: Schema): Schema {
  return schema
}

function number(value: number): string {
  return Number.isSafeInteger(value) ? value.toLocaleString('en-US') : String(value)
}

export function fieldList(fields: readonly Field[]): Html | null {
  if (fields.length === 0) return null
  return html`<ul class="fields">${fields.map(
    ({ anchor, name, type, isRequired, isDeprecated, description, facts, within }) => html`<li id="${anchor}">
<p class="field"><a href="#${anchor}"><code>${name}</code></a> <span class="type">${type}</span>${
      isRequired ? html` <span class="required">required</span>` : null
    }${isDeprecated ? html` <span class="deprecated">deprecated</span>` : null}</p>${
      description === '' ? null : html`\n<p>${inline(description)}</p>`
    }${facts.length === 0 ? null : html`\n<p class="facts">${facts.map((fact) => html`${fact} `)}</p>`}${
      within.length === 0 ? null : html`\n${fieldList(within)}`
    }</li>\n`,
  )}</ul>`
}

/** Returns all fields, including nested fields. */
export function everyField(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => [field, ...everyField(field.within)])
}
