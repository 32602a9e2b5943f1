import type { TextWriter, UntrustedText } from '../../../client/contract.gen.ts'
import type { Schema } from '../../platform/calls/contract.ts'
import { MAX_POINTER_LENGTH } from '../../platform/problems/problem.ts'

/**
 * The marks that the contract puts on single values in inputs and results, at any depth:
 *
 * - `x-secret: true`: anyone who has the value can act with it, so it is stored and shown as rarely as possible.
 * - `x-writtenBy`: a person outside the builder's organization wrote the text, so an agent must not treat it as
 *   instructions.
 * - `x-defaultsToNow: true`: if an input does not contain the value, the value defaults to the time of the request.
 *
 * This type is a tree with the same structure as the schema, reduced to the branches that contain marks.
 */
export interface Marks {
  readonly isSecret: boolean
  readonly writtenBy: TextWriter | null
  readonly defaultsToNow: boolean
  readonly fields: ReadonlyMap<string, Marks>
  /** The marks of the items in a list or of the values in a map. */
  readonly inner: Marks | null
}

const WRITERS: readonly TextWriter[] = ['vendor', 'buyer', 'anyone']

/** Returns the marks of a schema that contains no references; null if it has no marks. */
export function readMarks(schema: Schema): Marks | null {
  const fields = new Map<string, Marks>()
  for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Schema>)) {
    const marks = readMarks(property)
    if (marks !== null) fields.set(name, marks)
  }
  const inner = [schema.items, schema.additionalProperties]
    .map((each) => (typeof each === 'object' && each !== null ? readMarks(each as Schema) : null))
    .reduce(combineMarks, null)
  const own: Marks = {
    isSecret: schema['x-secret'] === true,
    writtenBy: WRITERS.find((writer) => writer === schema['x-writtenBy']) ?? null,
    defaultsToNow: schema['x-defaultsToNow'] === true,
    ...{ fields, inner },
  }
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => (schema[keyword] ?? []) as Schema[])
  return alternatives.map(readMarks).reduce(combineMarks, isEmpty(own) ? null : own)
}

function isEmpty({ isSecret, writtenBy, defaultsToNow, fields, inner }: Marks): boolean {
  return !isSecret && writtenBy === null && !defaultsToNow && fields.size === 0 && inner === null
}

/** Combines the marks of two alternatives of a schema. */
function combineMarks(a: Marks | null, b: Marks | null): Marks | null {
  if (a === null || b === null) return a ?? b
  const fields = new Map(a.fields)
  for (const [name, marks] of b.fields) fields.set(name, combineMarks(fields.get(name) ?? null, marks) ?? marks)
  return {
    isSecret: a.isSecret || b.isSecret,
    writtenBy: a.writtenBy ?? b.writtenBy,
    defaultsToNow: a.defaultsToNow || b.defaultsToNow,
    ...{ fields, inner: combineMarks(a.inner, b.inner) },
  }
}

/** Returns the value with each secret replaced by null. */
export function replaceSecretsWithNull(marks: Marks | null, value: unknown): unknown {
  if (marks === null || value === null || value === undefined) return value
  if (marks.isSecret) return null
  if (Array.isArray(value)) return value.map((item) => replaceSecretsWithNull(marks.inner, item))
  if (typeof value !== 'object') return value
  const shown = Object.entries(value).map(([name, inner]) => [
    name,
    replaceSecretsWithNull(marksOfField(marks, name), inner),
  ])
  return Object.fromEntries(shown)
}

/** Fills in the current time for each missing field that defaults to now. */
export function fillCurrentTime(
  marks: Marks | null,
  input: Record<string, unknown>,
  now: Date,
): Record<string, unknown> {
  const missing = [...(marks?.fields ?? [])].filter(([name, field]) => field.defaultsToNow && input[name] === undefined)
  return { ...input, ...Object.fromEntries(missing.map(([name]) => [name, now.toISOString()])) }
}

/** Returns whether the value contains a secret. */
export function hasSecret(marks: Marks | null, value: unknown): boolean {
  if (marks === null || value === null || value === undefined) return false
  if (marks.isSecret) return true
  if (Array.isArray(value)) return value.some((item) => hasSecret(marks.inner, item))
  if (typeof value !== 'object') return false
  return Object.entries(value).some(([name, inner]) => hasSecret(marksOfField(marks, name), inner))
}

/** Returns whether a path points to a secret, or to a value that may contain a secret. */
export function isPathToSecret(marks: Marks | null, path: readonly string[]): boolean {
  let at = marks
  for (const step of path) {
    if (at === null || at.isSecret) break
    at = at.fields.get(step) ?? at.inner
  }
  return at !== null && canHoldSecret(at)
}

export function canHoldSecret({ isSecret, fields, inner }: Marks): boolean {
  return isSecret || [...fields.values()].some(canHoldSecret) || (inner !== null && canHoldSecret(inner))
}

/**
 * Returns the locations of texts in a result that were written by outsiders. If there are too many texts to list,
 * returns the location of the whole result.
 */
export function listUntrustedText(marks: Marks | null, result: unknown): UntrustedText[] {
  const found = [...findUntrustedText(marks, result, '')]
  const isListed = found.length <= MAX_TEXTS && found.every(({ pointer }) => pointer.length <= MAX_POINTER_LENGTH)
  return isListed ? found : [{ pointer: '', writtenBy: 'anyone' }]
}

/** The maximum number of texts in the list. The contract declares the same limit. */
const MAX_TEXTS = 500

/** Returns whether a value may contain text from outsiders. */
export function canHoldUntrustedText({ writtenBy, fields, inner }: Marks): boolean {
  return (
    writtenBy !== null ||
    [...fields.values()].some(canHoldUntrustedText) ||
    (inner !== null && canHoldUntrustedText(inner))
  )
}

function* findUntrustedText(marks: Marks | null, value: unknown, pointer: string): Generator<UntrustedText> {
  if (marks === null || value === null || value === undefined || value === '') return
  if (marks.writtenBy !== null && !(Array.isArray(value) && value.length === 0))
    yield { pointer, writtenBy: marks.writtenBy }
  else if (Array.isArray(value))
    for (const [i, item] of value.entries()) yield* findUntrustedText(marks.inner, item, `${pointer}/${i}`)
  else if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value))
      yield* findUntrustedText(marksOfField(marks, name), inner, `${pointer}/${escapePointerStep(name)}`)
}

function marksOfField({ fields, inner }: Marks, name: string): Marks | null {
  return fields.get(name) ?? inner
}

/** Escapes a name for use in a JSON pointer. */
export function escapePointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
