import { getMinorUnits } from '../../server/platform/values/minor-units.ts'

/**
 * Formats amounts, quantities, and percentages for users. Negative amounts have a minus sign instead of a hyphen, and
 * differences always have a sign.
 */
export interface NumberFormats {
  /** Formats an amount in whole units for lists, such as `$42,000`. */
  money(amount: number): string
  /** Formats an amount in whole units without the currency, which the heading shows, such as `42,000`. */
  whole(amount: number): string
  /** Formats an amount with all decimals of the currency for documents, such as `$42,000.00`. */
  cents(amount: number): string
  /** Formats an amount with all decimals but without the currency, which the heading shows, such as `42,000.00`. */
  exact(amount: number): string
  /** Formats a difference with its sign, such as `+$1,200`, `−$2,150`, or `$0`. */
  difference(amount: number): string
  /**
   * Formats a difference with its sign but without the currency, which the heading shows, such as `+1,200`, `−2,150`,
   * or `0`.
   */
  wholeDifference(amount: number): string
  /** The symbol of the currency, such as `$` or `€`. */
  readonly symbol: string
}

export function createNumberFormats(currency: string): NumberFormats {
  const whole = new Intl.NumberFormat('en-US', { style: 'currency', currency, maximumFractionDigits: 0 })
  const decimals = { minimumFractionDigits: getMinorUnits(currency), maximumFractionDigits: getMinorUnits(currency) }
  const exact = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...decimals })
  const bare = new Intl.NumberFormat('en-US', decimals)
  const signed = new Intl.NumberFormat('en-US', {
    ...{ style: 'currency', currency, maximumFractionDigits: 0, signDisplay: 'exceptZero' },
  })
  return {
    money: (amount) => replaceHyphenWithMinus(whole.format(amount)),
    whole: (amount) => replaceHyphenWithMinus(WHOLE_FORMAT.format(amount)),
    cents: (amount) => replaceHyphenWithMinus(exact.format(amount)),
    exact: (amount) => replaceHyphenWithMinus(bare.format(amount)),
    difference: (amount) => replaceHyphenWithMinus(signed.format(amount)),
    wholeDifference: (amount) => replaceHyphenWithMinus(WHOLE_DIFFERENCE_FORMAT.format(amount)),
    symbol: whole.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency,
  }
}

const WHOLE_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const WHOLE_DIFFERENCE_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0, signDisplay: 'exceptZero' })
const QUANTITY_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })
const PERCENT_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

export function formatQuantity(number: number): string {
  return replaceHyphenWithMinus(QUANTITY_FORMAT.format(number))
}

const UNIT_PRICE_FORMAT = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 })

/** Formats the price of a unit with at least two decimals. */
export function formatUnitPrice(price: number): string {
  return replaceHyphenWithMinus(UNIT_PRICE_FORMAT.format(price))
}

/** Formats 3.4 as `3.4%`. */
export function formatPercent(number: number): string {
  return `${replaceHyphenWithMinus(PERCENT_FORMAT.format(number))}%`
}

const FILE_SIZE_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** Formats the size of a file, such as `30 kB` or `2.4 MB`. */
export function formatFileSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${FILE_SIZE_FORMAT.format(bytes / 1_000_000)} MB`
}

function replaceHyphenWithMinus(text: string): string {
  return text.replace('-', '−')
}
