import type { Contract, ParameterObject, Schema, SchemaReference } from '../../../platform/calls/contract.ts'
import { patternMessages } from '../../../platform/problems/formats.ts'
import { type Html, html } from '../page/html.ts'
import { renderInlineMarkdown } from '../page/page.ts'
import { findPageItemSchema, type ReferenceIndex } from './reference-index.ts'

/** A field or parameter as shown in the reference, with its nested fields. */
export interface Field {
  /** The anchor on the page, such as `createVendor.companyName`. */
  readonly anchor: string
  readonly name: string
  readonly type: Html
  /** The name of the schema of the field or, for a list, of its items; null if the schema has no name. */
  readonly schemaName: string | null
  readonly isRequired: boolean
  readonly isDeprecated: boolean
  /** In Markdown. */
  readonly description: string
  /** The bounds, allowed values, and default of the field, one sentence each. */
  readonly facts: readonly Html[]
  readonly within: readonly Field[]
}

interface FieldContext {
  readonly atlas: ReferenceIndex
  /** The URL of the reference. */
  readonly base: string
  /**
   * Whether to show nested objects in full, as for inputs. In responses, nested objects are links to their sections
   * instead.
   */
  readonly isWhole: boolean
}

/**
 * The maximum depth of nested fields. No input of the contract is nested as deeply. The limit ends the recursion for a
 * schema that contains itself.
 */
const MAX_DEPTH = 8

export function listParameterFields(
  place: FieldContext,
  anchor: string,
  parameters: readonly ParameterObject[],
): Field[] {
  return parameters.map(({ name, schema, required = false, description }) => ({
    ...readField(
      place,
      { ...schema, ...(description !== undefined && { description }) },
      `${anchor}.${name}`,
      MAX_DEPTH,
    ),
    ...{ name, isRequired: required },
  }))
}

/** Returns the fields of an object; an empty list if the schema declares no fields. */
export function listFields(place: FieldContext, anchor: string, schema: Schema | SchemaReference, depth = 0): Field[] {
  const { contract } = place.atlas
  const { properties = {}, required = [] } = contract.resolve<Schema>(schema) as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, declared]) => ({
    ...readField(place, declared, `${anchor}.${name}`, depth),
    ...{ name, isRequired: required.includes(name) },
  }))
}

function readField(
  place: FieldContext,
  declared: Schema,
  anchor: string,
  depth: number,
): Omit<Field, 'name' | 'isRequired'> {
  const { contract } = place.atlas
  const schema = mergeReference(contract, declared)
  const { description = '', deprecated = false } = schema as { description?: string; deprecated?: boolean }
  const inner = unwrapSchema(contract, declared)
  const isLinked = !place.isWhole && inner.name !== null && place.atlas.objectAt(inner.name) !== undefined
  return {
    ...{ anchor, description, isDeprecated: deprecated },
    type: renderType(place, declared),
    schemaName: inner.name,
    facts: listFieldFacts(contract, schema, inner.schema),
    within: isLinked || depth >= MAX_DEPTH ? [] : listFields(place, anchor, inner.schema, depth + 1),
  }
}

/** Merges a schema with the schema to which its `$ref` refers. Keywords next to the `$ref` take precedence. */
function mergeReference(contract: Contract, { $ref, ...own }: Schema): Schema {
  if (typeof $ref !== 'string') return own
  return { ...mergeReference(contract, contract.resolve<Schema>({ $ref })), ...own }
}

/** Returns the schema of a list's items, or the non-null alternative of a nullable schema. */
function unwrapSchema(contract: Contract, declared: Schema): { schema: Schema; name: string | null } {
  const name = typeof declared.$ref === 'string' ? (declared.$ref.split('/').at(-1) ?? null) : null
  const schema = mergeReference(contract, declared)
  const [only, ...others] = listAlternatives(schema)
  if (only !== undefined && others.length === 0) return unwrapSchema(contract, only)
  if (isSchema(schema.items)) return unwrapSchema(contract, schema.items)
  return { schema, name }
}

function listAlternatives({ anyOf }: Schema): Schema[] {
  return listDocumentedAlternatives(anyOf).filter(({ type }) => type !== 'null')
}

/**
 * Returns the alternatives that the reference shows. Leaves out `AnyRow`, with which a batch accepts invalid rows in
 * order to report an error for each row. Clients should not send such rows.
 */
function listDocumentedAlternatives(anyOf: unknown): Schema[] {
  return Array.isArray(anyOf) ? anyOf.filter(isSchema).filter(({ $ref }) => $ref !== ANY_ROW) : []
}

const ANY_ROW = '#/components/schemas/AnyRow'

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes a type in words, with a link if the type is an object with its own section. */
export function renderType(place: FieldContext, declared: Schema | SchemaReference): Html {
  const { atlas, base } = place
  const { contract } = atlas
  const schema = mergeReference(contract, declared as Schema)
  const page = findPageItemSchema(contract, schema)
  if (page !== null) return html`page of ${renderType(place, page)}`
  const { $ref } = declared as { $ref?: unknown }
  const name = typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : ''
  const address = place.isWhole ? undefined : atlas.objectAt(name)
  if (address !== undefined) return html`<a href="${base}/${address}">${name}</a>`
  const { anyOf, items, type, format, const: only } = schema
  if (Array.isArray(anyOf)) return joinHtml(listDocumentedAlternatives(anyOf).map((each) => renderType(place, each)))
  if (isSchema(items) && (type === 'array' || Array.isArray(type)))
    return html`list of ${renderType(place, items)}${Array.isArray(type) ? ' or null' : null}`
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`
  const types = (Array.isArray(type) ? type : [type ?? 'any value']).map(String)
  return html`${types.map((each) => (each === 'null' || typeof format !== 'string' ? each : (FORMATS[format] ?? `${each}, ${format}`))).join(' or ')}`
}

function joinHtml(parts: readonly Html[]): Html {
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

function listFieldFacts(contract: Contract, outer: Schema, inner: Schema): Html[] {
  const facts: Html[] = []
  const range = (min: unknown, max: unknown, unit: string) => {
    const isAtLeast = typeof min === 'number' && min > 0
    if (isAtLeast && typeof max === 'number')
      facts.push(html`${min === max ? formatNumber(max) : `${formatNumber(min)} to ${formatNumber(max)}`} ${unit}.`)
    else if (isAtLeast) facts.push(html`At least ${formatNumber(min)} ${unit}.`)
    else if (typeof max === 'number') facts.push(html`At most ${formatNumber(max)} ${unit}.`)
  }
  const shown = { ...inner, ...omitItems(outer) }
  range(outer.minItems, outer.maxItems, 'items')
  if (outer.uniqueItems === true) facts.push(html`No duplicates.`)
  range(shown.minLength, shown.maxLength, 'characters')
  range(outer.minProperties, outer.maxProperties, 'entries')
  const { minimum, maximum, exclusiveMinimum } = shown
  if (typeof minimum === 'number' && typeof maximum === 'number')
    facts.push(html`From ${formatNumber(minimum)} to ${formatNumber(maximum)}.`)
  else if (typeof minimum === 'number') facts.push(html`At least ${formatNumber(minimum)}.`)
  else if (typeof maximum === 'number') facts.push(html`At most ${formatNumber(maximum)}.`)
  if (typeof exclusiveMinimum === 'number') facts.push(html`More than ${formatNumber(exclusiveMinimum)}.`)
  const { enum: values, pattern, additionalProperties } = shown
  if (Array.isArray(values))
    facts.push(html`One of ${values.map((value, at) => html`${at === 0 ? null : ', '}<code>${String(value)}</code>`)}.`)
  if (typeof pattern === 'string') facts.push(describePattern(pattern))
  if (isSchema(additionalProperties)) {
    const { description } = mergeReference(contract, additionalProperties) as { description?: string }
    if (description !== undefined) facts.push(html`Each value: ${renderInlineMarkdown(description)}`)
  }
  if (outer.default !== undefined && outer.default !== null)
    facts.push(html`Default: <code>${JSON.stringify(outer.default)}</code>.`)
  return facts
}

/** Describes a pattern in the words of its validation message. Every pattern in a request has such a message. */
function describePattern(pattern: string): Html {
  const words = patternMessages[pattern]
  if (words === undefined) return html`Pattern: <code>${pattern}</code>.`
  return html`${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

function omitItems({ items: _, ...schema }: Schema): Schema {
  return schema
}

function formatNumber(value: number): string {
  return Number.isSafeInteger(value) ? value.toLocaleString('en-US') : String(value)
}

export function renderFieldList(fields: readonly Field[]): Html | null {
  if (fields.length === 0) return null
  return html`<ul class="fields">${fields.map(
    ({ anchor, name, type, isRequired, isDeprecated, description, facts, within }) => html`<li id="${anchor}">
<p class="field"><a href="#${anchor}"><code>${name}</code></a> <span class="type">${type}</span>${
      isRequired ? html` <span class="required">required</span>` : null
    }${isDeprecated ? html` <span class="deprecated">deprecated</span>` : null}</p>${
      description === '' ? null : html`\n<p>${renderInlineMarkdown(description)}</p>`
    }${facts.length === 0 ? null : html`\n<p class="facts">${facts.map((fact) => html`${fact} `)}</p>`}${
      within.length === 0 ? null : html`\n${renderFieldList(within)}`
    }</li>\n`,
  )}</ul>`
}

/** Returns all fields, including nested fields. */
export function flattenFields(fields: readonly Field[]): Field[] {
  return fields.flatMap((field) => [field, ...flattenFields(field.within)])
}
