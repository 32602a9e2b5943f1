/** Rules for the marks on fields. The marks are for secrets, texts from outsiders, and times that default to now. */

import { listBodies, listOperations, resolveReference } from './contract-walk.mjs'

/** Matches typical names of fields that contain secrets. */
const SECRET_NAME = /(?:secret|token|password|taxId|portalUrl|feedUrl)$/i

/** Matches secrets: a portal link, the link of a calendar feed, a webhook secret, or an API key. */
const SECRET_VALUE = /\/portal\/(?:inv|ven)_|\/calendars\/cal_\w+\.|\bwhsec_|\bplb_\w{20}/

/** Checks that fields that look like secrets have the mark `x-secret`, on which all code that hides secrets depends. */
export function* checkSecretMarks(document) {
  for (const { name, property, at } of listProperties(document)) {
    const types = [resolveReference(document, property)?.type].flat()
    if (types.includes('string') && SECRET_NAME.test(name) && isMarked(document, property, 'x-secret') === undefined)
      yield [at, `${name} looks like a secret. Mark it with x-secret: true, or false if it is not one.`]
  }
  for (const { operation, at } of listOperations(document)) {
    for (const response of Object.values(operation.responses)) {
      const shown = resolveReference(
        document,
        resolveReference(document, response)?.content?.['application/json']?.schema,
      )
      for (const field of operation['x-shows-once'] ?? []) {
        const property = shown?.properties?.[field]
        if (property !== undefined && isMarked(document, property, 'x-secret') !== true)
          yield [at, `${field} is shown only once, so the value is a secret. Mark it with x-secret: true.`]
      }
    }
  }
  for (const { media, at } of listBodies(document)) {
    for (const [name, example] of Object.entries(media.examples ?? {})) {
      const value = resolveReference(document, example)?.value
      for (const pointer of listUnmarkedSecrets(document, [media.schema], value, ''))
        yield [[...at, 'examples', name], `The example has a secret at ${pointer}. Mark the field with x-secret: true.`]
    }
  }
}

const WRITERS = ['vendor', 'buyer', 'anyone']

/**
 * Checks that `x-writtenBy` has a known value, and that it marks only texts and open objects, which can contain texts.
 */
export function* checkWriterMarks(document) {
  for (const { name, property, at } of listProperties(document)) {
    const writer = property['x-writtenBy']
    if (writer === undefined) continue
    if (!WRITERS.includes(writer)) yield [at, `x-writtenBy of ${name} must be one of ${WRITERS.join(', ')}.`]
    const { type, anyOf = [], items } = resolveReference(document, property) ?? {}
    const types = [
      type,
      resolveReference(document, items)?.type,
      ...anyOf.map((each) => resolveReference(document, each)?.type),
    ].flat()
    const isOpen = resolveReference(document, property)?.additionalProperties === true
    if (!types.includes('string') && !isOpen) yield [at, `${name} is not a text. Remove x-writtenBy.`]
  }
}

/** Checks that `x-defaultsToNow` marks only times. */
export function* checkDefaultsToNow(document) {
  for (const { name, property, at } of listProperties(document)) {
    if (property['x-defaultsToNow'] === undefined) continue
    const { format, anyOf = [] } = resolveReference(document, property) ?? {}
    const formats = [format, ...anyOf.map((each) => resolveReference(document, each)?.format)]
    if (property['x-defaultsToNow'] !== true || !formats.includes('date-time'))
      yield [at, `Mark ${name} with x-defaultsToNow: true only if it is a time.`]
  }
}

function isMarked(document, schema, mark) {
  if (typeof schema !== 'object' || schema === null) return undefined
  return (
    schema[mark] ??
    (schema.$ref === undefined ? undefined : isMarked(document, resolveReference(document, schema), mark))
  )
}

/** Yields the locations of values that look like secrets although none of their possible schemas marks them. */
function* listUnmarkedSecrets(document, schemas, value, pointer) {
  const possible = schemas.flatMap((schema) => listAlternatives(document, schema))
  if (possible.some((schema) => schema['x-secret'] === true)) return
  if (typeof value === 'string' && SECRET_VALUE.test(value)) yield pointer
  if (typeof value !== 'object' || value === null) return
  const inner = (key) =>
    possible.flatMap((schema) => {
      const found = Array.isArray(value) ? schema.items : (schema.properties?.[key] ?? schema.additionalProperties)
      return typeof found === 'object' && found !== null ? [found] : []
    })
  for (const [key, each] of Object.entries(value)) {
    const below = inner(key)
    // If a schema allows any value, as for the result of a skill, the skill's own schema applies.
    if (below.length > 0) yield* listUnmarkedSecrets(document, below, each, `${pointer}/${key}`)
  }
}

function listAlternatives(document, schema) {
  const marked = isMarked(document, schema, 'x-secret')
  const whole = resolveReference(document, schema)
  const own = marked === undefined ? whole : { ...whole, 'x-secret': marked }
  return [
    own,
    ...[...(whole?.anyOf ?? []), ...(whole?.oneOf ?? [])].flatMap((each) => listAlternatives(document, each)),
  ]
}

function* listProperties(document) {
  yield* listPropertiesIn(document.components?.schemas, ['components', 'schemas'])
  for (const [name, { input, output }] of Object.entries(document['x-skills'] ?? {})) {
    yield* listPropertiesIn(input, ['x-skills', name, 'input'])
    yield* listPropertiesIn(output, ['x-skills', name, 'output'])
  }
}

/** Keywords whose content is a value instead of a schema. */
const VALUES = ['example', 'examples', 'default', 'const', 'enum']

function* listPropertiesIn(value, at) {
  if (typeof value !== 'object' || value === null) return
  if (typeof value.properties === 'object' && value.properties !== null)
    for (const [name, property] of Object.entries(value.properties))
      if (typeof property === 'object' && property !== null) yield { name, property, at: [...at, 'properties', name] }
  for (const [key, inner] of Object.entries(value))
    if (!VALUES.includes(key)) yield* listPropertiesIn(inner, [...at, key])
}
