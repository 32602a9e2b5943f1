import { getMinorUnits } from '../../server/platform/values/minor-units.ts'

/**
 * Formats amounts, quantities, and shares for users. Negative amounts have a true minus sign, and differences always
 * have a sign.
 */
export interface NumberFormats {
  /** Whole units, for lists: `$42,000`. */
  money(amount: number): string
  /** Whole units, if the heading names the currency: `42,000`. */
  whole(amount: number): string
  /** With all decimals of the currency, for documents: `$42,000.00`. */
  cents(amount: number): string
  /** With all decimals of the currency, if the heading names the currency: `42,000.00`. */
  exact(amount: number): string
  /** With its sign: `+$1,200`, `−$2,150`, `$0`. */
  difference(amount: number): string
  /** With its sign, if the heading names the currency: `+1,200`, `−2,150`, `0`. */
  wholeDifference(amount: number): string
  /** The symbol of the currency: `$`, `€`. */
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

/** `3.4%` of 3.4. */
export function formatPercent(number: number): string {
  return `${replaceHyphenWithMinus(PERCENT_FORMAT.format(number))}%`
}

const FILE_SIZE_FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** Formats the size of a file: `30 kB`, `2.4 MB`. */
export function formatFileSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${FILE_SIZE_FORMAT.format(bytes / 1_000_000)} MB`
}

function replaceHyphenWithMinus(text: string): string {
  return text.replace('-', '−')
}
