import type { FieldError } from '../../../client/contract.gen.ts'

/** The values in a form by field name. */
export type Values = Readonly<Record<string, unknown>>

/** A text that a user typed and that could not be parsed as a number, a date, or JSON. */
export class UnclearText {
  readonly text: string
  readonly message: string

  constructor(text: string, message: string) {
    this.text = text
    this.message = message
  }
}

/** Returns an error for each text that could not be parsed, with the pointer of its field. */
export function listUnclearTexts(value: unknown, pointer = ''): FieldError[] {
  if (value instanceof UnclearText) return [{ pointer, code: 'format', message: value.message }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => listUnclearTexts(inner, `${pointer}/${name}`))
}

/** Returns the entered values without empty fields. Keeps null, which clears a stored value. */
export function omitEmptyFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitEmptyFields)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => [name, omitEmptyFields(inner)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => !isEmptyGroup(inner)))
}

function isEmptyGroup(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
}

/** Returns the fields whose values differ from the stored record. */
export function pickChangedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])),
  )
}
