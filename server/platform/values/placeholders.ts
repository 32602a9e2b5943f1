import type { FieldError } from '../../../client/contract.gen.ts'
import { formatList } from './format.ts'

/** What stands in for each placeholder, by its name. What is left out is empty. */
export type Values = Readonly<Record<string, string | null | undefined>>

/** Without braces inside, so that a text of nothing but braces is read once and not once for each of them. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const OPENED = /\{\{([^{}]*)(\}\})?/g

/** As much of a wrong name as a person needs to find it. */
const MOST_OF_NAME = 60

/** What is wrong with the placeholders of a text, such as `{{vendor.companyName}}`; the first of its faults. */
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

/** Whether each placeholder of this name has white space or an end of the text on both of its sides. */
export function isAlone(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].every(
    ({ 0: whole, 1: other = '', index }) => other.trim() !== name || standsAlone(text, index, whole.length),
  )
}

/** Whether a part of a text has white space or an end of the text on both of its sides. */
export function standsAlone(text: string, start: number, length: number): boolean {
  return isGap(text[start - 1]) && isGap(text[start + length])
}

// Not /\s/, which includes characters without a width that a mail program may take for a part of an address.
function isGap(character: string | undefined): boolean {
  return character === undefined || ' \t\r\n'.includes(character)
}

export function hasPlaceholder(text: string, name: string): boolean {
  return [...text.matchAll(PLACEHOLDER)].some(([, other = '']) => other.trim() === name)
}

/**
 * The text with its placeholders filled in, each once: what looks like one within a value stays as it is. It ends after
 * so many characters, because values can be long and placeholders many.
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

/** The beginning of a text. Half of a character that takes two places would be refused by the database. */
export function cut(text: string, most: number): string {
  return text.slice(0, most).toWellFormed()
}

function oneOf(values: Values, name: string): string {
  return (Object.hasOwn(values, name) ? values[name] : null) ?? ''
}
