import type { FieldError } from '../../../client/contract.gen.ts'
import { formatList } from './format.ts'

/** The value of each placeholder by name. Missing ones are empty. */
export type PlaceholderValues = Readonly<Record<string, string | null | undefined>>

/** Without braces inside, so that a text of nothing but braces is read once and not once for each of them. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const OPENED_PLACEHOLDER = /\{\{([^{}]*)(\}\})?/g

/** Enough of a wrong name to find it. */
const MAX_NAME_SHOWN = 60

/** Returns the first error in the placeholders of a text, such as `{{vendor.companyName}}`. */
export function findPlaceholderErrors(text: string, pointer: string, known: readonly string[]): FieldError[] {
  for (const [, name = '', end] of text.matchAll(OPENED_PLACEHOLDER)) {
    if (end !== undefined && known.includes(name.trim())) continue
    const message =
      end === undefined
        ? `must close each placeholder with double braces; available placeholders are ${formatList(known)}`
        : `has the unknown placeholder ${name.trim().slice(0, MAX_NAME_SHOWN)}; available placeholders are ${formatList(known)}`
    return [{ pointer, code: 'unknown_placeholder', message }]
  }
  return []
}

/** Returns whether each placeholder of this name has white space or an end of the text on both sides. */
export function isPlaceholderAlone(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].every(
    ({ 0: whole, 1: other = '', index }) => other.trim() !== name || isPartAlone(text, index, whole.length),
  )
}

/** Returns whether a part of a text has white space or an end of the text on both sides. */
export function isPartAlone(text: string, start: number, length: number): boolean {
  return isWhitespace(text[start - 1]) && isWhitespace(text[start + length])
}

// Not /\s/, which includes zero-width characters that a mail program may treat as part of a URL.
function isWhitespace(character: string | undefined): boolean {
  return character === undefined || ' \t\r\n'.includes(character)
}

export function hasPlaceholder(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, other = '']) => other.trim() === name)
}

/**
 * Returns the text with its placeholders filled in, each once: a placeholder within a value is not replaced. The result
 * has at most `most` characters, because values can be long and placeholders many.
 */
export function fillPlaceholders(text: string, values: PlaceholderValues, max: number): string {
  let filled = ''
  let end = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
    filled += text.slice(end, index) + readPlaceholder(values, name.trim())
    end = index + whole.length
    if (filled.length >= max) break
  }
  return truncate(filled + text.slice(end), max)
}

/** Returns the beginning of a text. The database would reject half of a surrogate pair. */
export function truncate(text: string, max: number): string {
  return text.slice(0, max).toWellFormed()
}

function readPlaceholder(values: PlaceholderValues, name: string): string {
  return (Object.hasOwn(values, name) ? values[name] : null) ?? ''
}
