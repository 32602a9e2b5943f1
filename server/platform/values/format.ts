import { getMinorUnits } from './minor-units.ts'
import { MAX_MONEY } from './money.ts'

/** Formats values for error messages in American English, independently of the caller's language. */

const amountFormats = new Map<string, Intl.NumberFormat>()

/** Formats an amount, for example as $1,250.00. */
export function formatAmount(amount: number, currency: string): string {
  let format = amountFormats.get(currency)
  if (format === undefined) {
    const decimals = getMinorUnits(currency)
    format = new Intl.NumberFormat('en-US', {
      ...{ style: 'currency', currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals },
    })
    amountFormats.set(currency, format)
  }
  return format.format(amount)
}

/** Formats the maximum amount of a currency, for example as $999,999,999,999.99 or ¥999,999,999,999. */
export function formatMaxAmount(currency: string): string {
  return formatAmount(getMinorUnits(currency) === 0 ? Math.floor(MAX_MONEY) : MAX_MONEY, currency)
}

/** Formats a quantity, or a limit that applies to all currencies, for example as 1,250.5. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 })
}

/** Formats a count with its noun, for example as 1 order or 1,250 orders. */
export function formatCount(count: number, one: string, several = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : several}`
}

/** Formats a calendar date (YYYY-MM-DD), for example as November 20, 2026. */
export function formatDate(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}

/** Formats a timestamp, for example as November 20, 2026 at 5:00 PM CST. */
export function formatTimestamp(timestamp: string | Date, timeZone: string): string {
  const date = new Date(timestamp)
  const day = date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone })
  const time = date.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone })
  // Intl inserts a narrow no-break space before PM, which many programs and logs cannot handle.
  return `${day} at ${time}`.replace(/\s/g, ' ')
}

/**
 * Returns an enum value as words, such as "retainage release". The value `cancelled` has a British spelling, so it is
 * replaced.
 */
export function humanizeValue(value: string): string {
  return value === 'cancelled' ? 'canceled' : value.replaceAll('_', ' ')
}

/** Returns a status as it appears after "is", such as "partially completed" or "a draft". */
export function describeStatus(status: string): string {
  return status === 'draft' ? 'a draft' : humanizeValue(status)
}

const listFormats = {
  and: new Intl.ListFormat('en-US', { type: 'conjunction' }),
  or: new Intl.ListFormat('en-US', { type: 'disjunction' }),
}

/** Formats a list, for example as PO-7, PO-8, and PO-9. */
export function formatList(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  return listFormats[last].format(words)
}

/** Returns the last sentence of the message for a temporary error. */
export function formatRetryAdvice(seconds: number): string {
  return `Try again in ${formatCount(seconds, 'second')}.`
}
