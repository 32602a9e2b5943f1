import type { FieldError } from '../../../client/contract.gen.ts'
import { formatList } from './format.ts'

/** The value of each placeholder by name. Missing ones are empty. */
export type Values = Readonly<Record<string, string | null | undefined>>

/** Without braces inside, so that a text of nothing but braces is read once and not once for each of them. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const OPENED = /\{\{([^{}]*)(\}\})?/g

/** Enough of a wrong name to find it. */
const MOST_OF_NAME = 60

/** Returns the first error in the placeholders of a text, such as `{{vendor.companyName}}`. */
export function placeholderFaults(text: string, pointer: string, known: readonly string[]): FieldError[] {
  for (const [, name = '', end] of text.matchAll(OPENED)) {
    if (end !== undefined && known.includes(name.trim())) continue
    const message =
      end === undefined
        ? `must close each placeholder with double braces; available placeholders are ${formatList(known)}`
        : `has the unknown placeholder ${name.trim().slice(0, MOST_OF_NAME)}; available placeholders are ${formatList(known)}`
    return [{ pointer, code: 'unknown_placeholder', message }]
  }
  return []
}

/** Returns whether each placeholder of this name has white space or an end of the text on both sides. */
export function isAlone(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].every(
    ({ 0: whole, 1: other = '', index }) => other.trim() !== name || standsAlone(text, index, whole.length),
  )
}

/** Returns whether a part of a text has white space or an end of the text on both sides. */
export function standsAlone(text: string, start: number, length: number): boolean {
  return isGap(text[start - 1]) && isGap(text[start + length])
}

// Not /\s/, which includes zero-width characters that a mail program may treat as part of a URL.
function isGap(character: string | undefined): boolean {
  return character === undefined || ' \t\r\n'.includes(character)
}

export function hasPlaceholder(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, other = '']) => other.trim() === name)
}

/**
 * Returns the text with its placeholders filled in, each once: a placeholder within a value is not replaced. The result
 * has at most `most` characters, because values can be long and placeholders many.
 */
export function filledIn(text: string, values: Values, most: number): string {
  let filled = ''
  let end = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
    filled += text.slice(end, index) + oneOf(values, name.trim())
    end = index + whole.length
    if (filled.length >= most) break
  }
  return cut(filled + text.slice(end), most)
}

/** Returns the beginning of a text. The database would reject half of a surrogate pair. */
export function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}

function oneOf(values: Values, name: string): string {
  return (Object.hasOwn(values, name) ? values[name] : null) ?? ''
}
