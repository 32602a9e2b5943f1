import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { isAddressOrRange, MAX_ALLOWED_ADDRESSES } from '../../platform/keys/allowed-addresses.ts'
import { ALL_PERMISSIONS } from '../../platform/keys/roles.ts'
import { formatNumber } from '../../platform/values/format.ts'

// Returns a parser for a text of at most `max` characters. A parser converts the text of an option to the input of a
// command. If the text is invalid, it throws an error with a sentence for the operator.

export function createTextParser(max: number): (value: string) => string {
  return (value) => {
    if (value.trim() === '' || value.length > max)
      throw new InvalidArgumentError(`The value must have 1 to ${max} characters.`)
    return value
  }
}

const MAX_TERMS = 10_000

/** Reads a file and returns its text. Returns the word "none" unchanged. */
export function readTermsFile(file: string): string {
  if (file === 'none') return file
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new InvalidArgumentError(`The file cannot be read: ${(error as Error).message}.`)
  }
  if (text === '' || text.length > MAX_TERMS || text.includes('\0'))
    throw new InvalidArgumentError(`The file must contain 1 to ${formatNumber(MAX_TERMS)} characters of text.`)
  return text
}

export function parseEmail(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254)
    throw new InvalidArgumentError('The value must be an email address.')
  return value
}

export function parseCurrency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value))
    throw new InvalidArgumentError('The value must be an ISO 4217 currency code, such as USD.')
  return value
}

export function parseTimeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value
  } catch {
    throw new InvalidArgumentError('The value must be an IANA time zone, such as America/Chicago.')
  }
}

export function createIntegerParser(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new InvalidArgumentError(`The value must be a whole number from ${min} to ${max}.`)
    }
    return number
  }
}

export function parseTimestamp(value: string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime()) || !/^\d{4}-\d\d-\d\d/.test(value)) {
    throw new InvalidArgumentError('The value must be a timestamp, such as 2027-01-31T00:00:00Z.')
  }
  return date
}

export function parseMonth(value: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(value))
    throw new InvalidArgumentError('The value must be a month, such as 2026-11.')
  return value
}

export function parsePermissions(value: string): string[] {
  const requested = [...new Set(value.split(',').map((permission) => permission.trim()))]
  const unknown = requested.filter((permission) => !(ALL_PERMISSIONS as readonly string[]).includes(permission))
  if (unknown.length > 0) throw new InvalidArgumentError(`Unknown permissions: ${unknown.join(', ')}.`)
  return requested
}

export function parseAddresses(value: string): string[] {
  const requested = [...new Set(value.split(',').map((address) => address.trim()))]
  const wrong = requested.find((address) => !isAddressOrRange(address))
  if (wrong !== undefined)
    throw new InvalidArgumentError(`"${wrong}" is not an IP address or a range such as 10.0.0.0/8.`)
  if (requested.length > MAX_ALLOWED_ADDRESSES)
    throw new InvalidArgumentError(`A key can have at most ${MAX_ALLOWED_ADDRESSES} addresses and ranges.`)
  return requested
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Returns the number of a day of the week, from 1 for Monday to 7 for Sunday. */
export function parseWeekday(value: string): number {
  const day = WEEKDAYS.indexOf(value.toLowerCase()) + 1
  if (day === 0) throw new InvalidArgumentError(`The value must be one of ${WEEKDAYS.join(', ')}.`)
  return day
}

/** Parses the stages of a sale from a comma-separated text, in order. The contract specifies their maximum number. */
export function parseStages(value: string): string[] {
  const names = value.split(',').map((name) => name.trim())
  if (names.length > 30) throw new InvalidArgumentError('A sale can have at most 30 stages.')
  if (!names.every((name) => /^[a-z][a-z0-9_]{0,59}$/.test(name)))
    throw new InvalidArgumentError(
      'A stage must start with a letter and contain only lowercase letters, digits, and underscores, such as contract_signed.',
    )
  if (new Set(names).size < names.length) throw new InvalidArgumentError('Each stage must be unique.')
  return names
}

/**
 * Returns a parser for a threshold in hours. `max` is the number of hours in the period. The parser returns the word
 * "none" unchanged.
 */
export function createHoursParser(max: number): (value: string) => LimitValue {
  return (value) => {
    if (value === 'none') return value
    if (!/^\d{1,3}(\.\d{1,2})?$/.test(value) || Number(value) > max)
      throw new InvalidArgumentError(`The value must be 0 to ${max} hours, or "none".`)
    return Number(value)
  }
}

export function parseMultiplier(value: string): number {
  if (!/^\d(\.\d{1,4})?$/.test(value) || Number(value) < 1)
    throw new InvalidArgumentError('The value must be a number from 1 to 9.9999.')
  return Number(value)
}

export type LimitValue = number | 'none'

export function parseLimit(value: string): LimitValue {
  if (value === 'none') return value
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(value)) throw new InvalidArgumentError('The value must be an amount, or "none".')
  return Number(value)
}

export function toAmount(value: LimitValue): number | null {
  return value === 'none' ? null : value
}

/** Collects the values of an option that can be used more than once. */
export function collectValues(value: string, before: string[]): string[] {
  return [...before, createTextParser(254)(value)]
}
