import type { FieldError } from '../../../client/contract.gen.ts'
import { formatList } from './format.ts'

/** The value of each placeholder by name. Missing values become empty. */
export type PlaceholderValues = Readonly<Record<string, string | null | undefined>>

/** A name contains no braces. Otherwise, a text that consists only of braces would be read again for each brace. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const OPENED_PLACEHOLDER = /\{\{([^{}]*)(\}\})?/g

/** The maximum length of an unknown name in an error, which is enough to find the placeholder in the text. */
const MAX_NAME_SHOWN = 60

/**
 * Returns an error for the first invalid placeholder of a text. An example of a placeholder is
 * `{{vendor.companyName}}`.
 */
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

/**
 * Returns whether all placeholders with this name have white space, or the beginning or end of the text, on both sides.
 */
export function isPlaceholderStandalone(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].every(
    ({ 0: whole, 1: other = '', index }) => other.trim() !== name || isPartStandalone(text, index, whole.length),
  )
}

/** Returns whether a part of a text has white space, or the beginning or end of the text, on both sides. */
export function isPartStandalone(text: string, start: number, length: number): boolean {
  return isWhitespace(text[start - 1]) && isWhitespace(text[start + length])
}

// Does not use /\s/, because it also matches zero-width characters that a mail program can treat as part of a URL.
function isWhitespace(character: string | undefined): boolean {
  return character === undefined || ' \t\r\n'.includes(character)
}

export function hasPlaceholder(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, other = '']) => other.trim() === name)
}

/**
 * Returns the text with its placeholders replaced by values. Placeholders within a value are not replaced. The result
 * has at most `max` characters, because there can be many placeholders with long values.
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
 * Returns the beginning of a text with at most `max` characters. Does not split a surrogate pair, because the database
 * would reject half of one.
 */
export function truncateText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed()
}

function readPlaceholder(values: PlaceholderValues, name: string): string {
  return (Object.hasOwn(values, name) ? values[name] : null) ?? ''
}
