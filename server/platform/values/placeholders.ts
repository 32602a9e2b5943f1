import type { FieldError } from '../../../client/contract.gen.ts'
import { formatList } from './format.ts'

/** The value of each placeholder by name. Missing values are empty. */
export type PlaceholderValues = Readonly<Record<string, string | null | undefined>>

/**
 * The name contains no braces, so that a text that consists only of braces is read once, and not once for each brace.
 */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const OPENED_PLACEHOLDER = /\{\{([^{}]*)(\}\})?/g

/** This number of characters of an unknown name is enough to find the name in the text. */
const MAX_NAME_SHOWN = 60

/** Returns an error for the first problem with the placeholders of a text, such as `{{vendor.companyName}}`. */
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

/** Returns whether each placeholder with this name has white space or a boundary of the text on both sides. */
export function isPlaceholderStandalone(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].every(
    ({ 0: whole, 1: other = '', index }) => other.trim() !== name || isPartStandalone(text, index, whole.length),
  )
}

/** Returns whether a part of a text has white space or a boundary of the text on both sides. */
export function isPartStandalone(text: string, start: number, length: number): boolean {
  return isWhitespace(text[start - 1]) && isWhitespace(text[start + length])
}

// /\s/ is not used, because it includes zero-width characters that a mail program may treat as part of a URL.
function isWhitespace(character: string | undefined): boolean {
  return character === undefined || ' \t\r\n'.includes(character)
}

export function hasPlaceholder(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, other = '']) => other.trim() === name)
}

/**
 * Returns the text with each placeholder filled in once. A placeholder within a value is not replaced. The result has
 * at most `max` characters, because values can be long and placeholders many.
 */
export function fillPlaceholders(text: string, values: PlaceholderValues, max: number): string {
  let filled = ''
  let end = 0
  for (const { 0: whole, 1: name = '', index } of text.matchAll(PLACEHOLDER)) {
    filled += text.slice(end, index) + readPlaceholder(values, name.trim())
    end = index + whole.length
    if (filled.length >= max) break
  }
  return truncateText(filled + text.slice(end), max)
}

/**
 * Returns the beginning of a text, with at most `max` characters. A surrogate pair is not cut in half, because the
 * database would reject half of a pair.
 */
export function truncateText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed()
}

function readPlaceholder(values: PlaceholderValues, name: string): string {
  return (Object.hasOwn(values, name) ? values[name] : null) ?? ''
}
