import type { ErrorObject } from 'ajv/dist/2020.js'
import type { FieldError } from '../../../client/contract.gen.ts'
import type { OperationId } from '../calls/contract.ts'
import { describeFormatError, describeMoneyError, patternMessages } from './formats.ts'
import { MAX_POINTER_LENGTH } from './problem.ts'
import { isNearlyEqual, suggestName } from './similar-names.ts'

/** Describes the validated value in the terms of the caller. */
export interface CheckedInput {
  /** Converts a JSON pointer to the caller's notation. */
  pointer(path: string): string
  /** The noun for names in the value, such as "field of this operation". */
  noun: string
  /**
   * Whether errors about unknown names list all known names. This is for models that call a tool, because they cannot
   * look up the names.
   */
  listsNames?: boolean
  /** Returns another operation of the resource that accepts this name. */
  setter?(name: string): OperationId | undefined
  /** The currency to which the decimals of amounts were compared; omitted if the caller is not known yet. */
  currency?: string
}

/** Converts the errors of Ajv (with `verbose`) to readable errors, one for each problem that the caller must fix. */
export function toFieldErrors(errors: readonly ErrorObject[], checked: CheckedInput): FieldError[] {
  const suggestions = new Suggestions(checked)
  const faults = omitRedundantErrors(errors)
    .slice(0, MAX_FIELD_ERRORS)
    .map((error) => ({
      pointer: checked.pointer(errorPointer(error)).slice(0, MAX_POINTER_LENGTH),
      code: getCode(error),
      message: describeError(error, checked, suggestions).slice(0, MAX_MESSAGE_LENGTH),
    }))
  return [...new Map(faults.map((fault) => [`${fault.pointer} ${fault.message}`, fault])).values()]
}

export const MAX_MESSAGE_LENGTH = 1000
export const MAX_FIELD_ERRORS = 1000

/** The maximum length of a list of values in a message. The rest is for the text around the list. */
const MAX_LIST_LENGTH = MAX_MESSAGE_LENGTH - 50

/**
 * Returns the values as a list. If they do not all fit in a message, the list ends with the number of omitted values.
 */
function listValues(values: readonly string[]): string {
  const all = values.join(', ')
  if (all.length <= MAX_LIST_LENGTH) return all
  let count = 0
  let length = 0
  for (const value of values) {
    length += value.length + 2
    if (length > MAX_LIST_LENGTH) break
    count++
  }
  return `${values.slice(0, count).join(', ')}, or ${values.length - count} ${values.length - count === 1 ? 'other value' : 'other values'}`
}

function getCode({ keyword, params }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'unknown'
  return keyword === 'format' && params.format === 'money' ? 'decimals' : keyword
}

function errorPointer({ instancePath, keyword, params }: ErrorObject): string {
  const name = keyword === 'required' ? params.missingProperty : params.additionalProperty
  return typeof name === 'string' ? `${instancePath}/${escapePointerStep(name)}` : instancePath
}

function escapePointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function describeError(error: ErrorObject, checked: CheckedInput, suggestions: Suggestions): string {
  const { keyword, params, message = 'is not valid' } = error
  const limit = Number(params.limit)
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return `is not a${/^[aeiou]/.test(checked.noun) ? 'n' : ''} ${checked.noun}${suggestions.of(error)}`
    case 'type':
      return `must be ${formatAlternatives([params.type].flat().map((type) => TYPE_NAMES[String(type)] ?? String(type)))}`
    case 'enum':
      return `must be one of ${listValues(params.allowedValues.map(String))}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'format':
      if (params.format === 'money' && checked.currency !== undefined) return describeMoneyError(checked.currency)
      return describeFormatError(params.format, error.data) ?? message
    case 'pattern':
      return patternMessages[params.pattern] ?? 'does not match the required format'
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must be at least ${limit} characters long`
    case 'maxLength':
      return `must be at most ${formatCount(limit, 'character')} long`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`
    case 'exclusiveMaximum':
      return `must be less than ${limit}`
    case 'minItems':
      return `must have at least ${formatCount(limit, 'item')}`
    case 'maxItems':
      return `must have at most ${formatCount(limit, 'item')}`
    case 'uniqueItems':
      return `must not contain duplicates; items ${Math.min(params.i, params.j)} and ${Math.max(params.i, params.j)} are equal`
    case 'minProperties':
      return `must have at least ${formatCount(limit, 'field')}`
    case 'maxProperties':
      return `must have at most ${formatCount(limit, 'field')}`
    default:
      return message
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

function formatCount(count: number, noun: string): string {
  return `${count === 1 ? 'one' : count} ${noun}${count === 1 ? '' : 's'}`
}

function formatAlternatives(alternatives: readonly string[]): string {
  return alternatives.join(', ').replace(/, ([^,]+)$/, ' or $1')
}

/**
 * Suggests known names for unknown names. Comparing a thousand different names with all known names would take too
 * long, so only the first names get a suggestion. A name that occurs in several rows counts only once.
 */
class Suggestions {
  readonly #checked: CheckedInput
  readonly #made = new Map<unknown, Map<string, string>>()
  #left = MAX_SUGGESTIONS

  constructor(checked: CheckedInput) {
    this.#checked = checked
  }

  /** Returns text to append to the error about an unknown name; empty if there is no suggestion. */
  of(error: ErrorObject): string {
    const name = String(error.params.additionalProperty)
    const ofSchema = this.#made.get(error.parentSchema) ?? new Map<string, string>()
    this.#made.set(error.parentSchema, ofSchema)
    const before = ofSchema.get(name)
    if (before !== undefined) return before
    if (this.#left-- <= 0) return ''
    const created = suggestFieldName(name, error, this.#checked)
    ofSchema.set(name, created)
    return created
  }
}

const MAX_SUGGESTIONS = 50

// Suggests a known name if there is a likely typo. Otherwise, suggests the operation that accepts this name. If there
// is none, lists all names (if errors list them) or suggests a similar name.
function suggestFieldName(name: string, { parentSchema, instancePath }: ErrorObject, checked: CheckedInput): string {
  const names = Object.keys(parentSchema?.properties ?? {})
  const slip = names.find((known) => isNearlyEqual(name, known))
  const setter = slip === undefined && instancePath === '' ? checked.setter?.(name) : undefined
  if (setter !== undefined) return `; use ${setter} to set it`
  if (slip === undefined && checked.listsNames === true && instancePath === '') return listNames(names)
  const meant = slip ?? suggestName(name, names)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

function listNames(names: readonly string[]): string {
  return names.length === 0 ? '; there are no inputs' : `; the inputs are ${names.join(', ')}`
}

/**
 * Removes redundant errors. If a value can have several forms, Ajv reports an error for each of them. If one of these
 * errors is not about the type, it shows which form the caller intended. Otherwise, combines the errors about types in
 * one error.
 */
function omitRedundantErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const open = new Set(errors.filter(isAlternativesError).map(({ instancePath }) => instancePath))
  const empty = new Set(errors.filter(isEmptyValueError).map(({ instancePath }) => instancePath))
  const misshapen = new Set(errors.filter(isFormatError).map(({ instancePath }) => instancePath))
  if (open.size === 0 && empty.size === 0 && misshapen.size === 0) return errors
  const telling = new Set<string>()
  for (const error of errors) {
    if (isAlternativesError(error) || (error.keyword === 'type' && open.has(error.instancePath))) continue
    for (let at = error.instancePath; !telling.has(at); at = at.slice(0, at.lastIndexOf('/'))) {
      telling.add(at)
      if (at === '') break
    }
  }
  const types = new Map<string, ErrorObject>()
  const values = new Map<string, ErrorObject>()
  return errors.flatMap((error): ErrorObject[] => {
    const { instancePath: at, keyword } = error
    // If a value is empty, omit the error about its format. If a value has a wrong format, omit the error about its
    // length.
    if (keyword === 'pattern' || keyword === 'format') return empty.has(at) ? [] : [error]
    if (keyword === 'maxLength' && misshapen.has(at)) return []
    if (!open.has(at)) return [error]
    if (keyword === 'enum' || keyword === 'const') return joinErrors(values, error, toEnumError(error))
    if (keyword === 'type') return telling.has(at) ? [] : joinErrors(types, error, error)
    return isAlternativesError(error) && (telling.has(at) || types.has(at)) ? [] : [error]
  })
}

function isAlternativesError({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf'
}

function isFormatError({ keyword }: ErrorObject): boolean {
  return keyword === 'format'
}

function isEmptyValueError({ keyword, data }: ErrorObject): boolean {
  return keyword === 'minLength' && data === ''
}

function toEnumError(error: ErrorObject): ErrorObject {
  if (error.keyword === 'enum') return error
  return { ...error, keyword: 'enum', params: { allowedValues: [error.params.allowedValue] } }
}

/** Keeps the first error for each location, and adds the values that other errors would allow. */
function joinErrors(stored: Map<string, ErrorObject>, { instancePath }: ErrorObject, next: ErrorObject): ErrorObject[] {
  const allowed = next.keyword === 'type' ? 'type' : 'allowedValues'
  const first = stored.get(instancePath)
  if (first !== undefined) {
    first.params[allowed].push(...[next.params[allowed]].flat())
    return []
  }
  const copy = { ...next, params: { [allowed]: [next.params[allowed]].flat() } }
  stored.set(instancePath, copy)
  return [copy]
}
