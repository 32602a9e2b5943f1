import { getMinorUnits } from './minor-units.ts'

/** Formats values for error messages in American English, whatever the language of the caller. */

const amountFormats = new Map<string, Intl.NumberFormat>()

/** Returns an amount as $1,250.00. */
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

/** Returns a quantity, or a limit that applies in every currency, as 1,250.5. */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 })
}

/** Returns a calendar date (YYYY-MM-DD) as November 20, 2026. */
export function formatDate(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}

/** Returns a timestamp as November 20, 2026 at 5:00 PM CST. */
export function formatTimestamp(timestamp: string | Date, timeZone: string): string {
  const date = new Date(timestamp)
  const day = date.toLocaleDateString('en-US', { dateStyle: 'long', timeZone })
  const time = date.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone })
  // Intl puts a narrow no-break space before PM, which programs and logs seldom expect.
  return `${day} at ${time}`.replace(/\s/g, ' ')
}

/** Returns a value of an enumeration as words: retainage release. */
export function humanizeValue(value: string): string {
  return value.replaceAll('_', ' ')
}

/** Returns a status as it follows "is": partially completed, a draft. */
export function describeStatus(status: string): string {
  return status === 'draft' ? 'a draft' : humanizeValue(status)
}

const listFormats = {
  and: new Intl.ListFormat('en-US', { type: 'conjunction' }),
  or: new Intl.ListFormat('en-US', { type: 'disjunction' }),
}

/** Returns a list as PO-7, PO-8, and PO-9. */
export function formatList(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  return listFormats[last].format(words)
}

/** The last sentence of an error that passes with time. */
export function tryAgainIn(seconds: number): string {
  return `Try again in ${seconds === 1 ? '1 second' : `${formatNumber(seconds)} seconds`}.`
}
