import { InvalidArgumentError } from 'commander'
import { isAllowable, MOST_ALLOWED_ADDRESSES } from '../keys/allowed-addresses.ts'
import { ALL_PERMISSIONS } from '../keys/roles.ts'

// Each parses an option's text into the value that a verb takes, and rejects invalid text with a sentence.

export function text(most: number): (value: string) => string {
  return (value) => {
    if (value.trim() === '' || value.length > most)
      throw new InvalidArgumentError(`It has to have 1 to ${most} characters.`)
    return value
  }
}

export function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254)
    throw new InvalidArgumentError('It has to be an e-mail address.')
  return value
}

export function currency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value)) throw new InvalidArgumentError('It has to be an ISO 4217 code, such as USD.')
  return value
}

export function timeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value
  } catch {
    throw new InvalidArgumentError('It has to be an IANA time zone, such as America/Chicago.')
  }
}

export function whole(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`)
    }
    return number
  }
}

export function instant(value: string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime()) || !/^\d{4}-\d\d-\d\d/.test(value)) {
    throw new InvalidArgumentError('It has to be an instant, such as 2027-01-31T00:00:00Z.')
  }
  return date
}

export function permissions(value: string): string[] {
  const wanted = [...new Set(value.split(',').map((permission) => permission.trim()))]
  const unknown = wanted.filter((permission) => !(ALL_PERMISSIONS as readonly string[]).includes(permission))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no permission ${unknown.join(', ')}.`)
  return wanted
}

export function addresses(value: string): string[] {
  const wanted = [...new Set(value.split(',').map((address) => address.trim()))]
  const wrong = wanted.find((address) => !isAllowable(address))
  if (wrong !== undefined) throw new InvalidArgumentError(`"${wrong}" is no address and no range, such as 10.0.0.0/8.`)
  if (wanted.length > MOST_ALLOWED_ADDRESSES)
    throw new InvalidArgumentError(`A key has at most ${MOST_ALLOWED_ADDRESSES} addresses and ranges.`)
  return wanted
}

export type Limit = number | 'none'

export function limit(value: string): Limit {
  if (value === 'none') return value
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(value)) throw new InvalidArgumentError('It has to be an amount, or "none".')
  return Number(value)
}

export function amount(value: Limit): number | null {
  return value === 'none' ? null : value
}

/** For an option that may be repeated. */
export function collected(value: string, before: string[]): string[] {
  return [...before, text(254)(value)]
}
