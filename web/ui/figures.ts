import { minorUnits } from '../../server/platform/values/minor-units.ts'

/**
 * Formats amounts, quantities and shares for people. Negative amounts have a true minus sign, and differences always
 * have a sign.
 */
export interface Figures {
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
}

export function figuresIn(currency: string): Figures {
  const whole = new Intl.NumberFormat('en-US', { style: 'currency', currency, maximumFractionDigits: 0 })
  const decimals = { minimumFractionDigits: minorUnits(currency), maximumFractionDigits: minorUnits(currency) }
  const exact = new Intl.NumberFormat('en-US', { style: 'currency', currency, ...decimals })
  const bare = new Intl.NumberFormat('en-US', decimals)
  const signed = new Intl.NumberFormat('en-US', {
    ...{ style: 'currency', currency, maximumFractionDigits: 0, signDisplay: 'exceptZero' },
  })
  return {
    money: (amount) => withMinus(whole.format(amount)),
    whole: (amount) => withMinus(WHOLE.format(amount)),
    cents: (amount) => withMinus(exact.format(amount)),
    exact: (amount) => withMinus(bare.format(amount)),
    difference: (amount) => withMinus(signed.format(amount)),
  }
}

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const QUANTITY = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 })
const SHARE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

export function quantity(number: number): string {
  return withMinus(QUANTITY.format(number))
}

const PRICE = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 4 })

/** Formats the price of a unit with at least two decimals. */
export function unitPrice(price: number): string {
  return withMinus(PRICE.format(price))
}

/** `3.4%` of 3.4. */
export function percent(number: number): string {
  return `${withMinus(SHARE.format(number))}%`
}

const SIZE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 })

/** Formats the size of a file: `30 kB`, `2.4 MB`. */
export function fileSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${SIZE.format(bytes / 1_000_000)} MB`
}

function withMinus(text: string): string {
  return text.replace('-', '−')
}
