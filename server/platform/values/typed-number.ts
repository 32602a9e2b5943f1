/** The decimal separator of a number. `1,250.50` has a decimal point, and `1.250,50` has a decimal comma. */
export type DecimalSign = 'point' | 'comma'

/** The number that a user typed, null if the text is empty, or an error. */
export type TypedNumber =
  | { readonly value: number | null; readonly error: null }
  | { readonly value: null; readonly error: TypedNumberError }

export interface TypedNumberError {
  readonly code: TypedNumberErrorCode
  /** The text without surrounding spaces. */
  readonly typed: string
  /** The numbers that the text could mean, most likely first; empty if it cannot be a number. */
  readonly candidates: readonly number[]
}

/**
 * The reason why a text is not accepted as a number:
 * - `point`: the meaning of the point is unclear. 12.500 can be 12,500 or 12.50.
 * - `signs`: the separators are those of another country, as in 1,70 and 25.000,00.
 * - `short`: the number is abbreviated, as in 12k.
 * - `grouping`: a comma is in an unusual place, as in 1,23,456.
 * - `decimals`: there are more decimals than allowed.
 * - `large`: there are too many digits before the decimals.
 * - `negative`: the number is negative, which is not allowed.
 * - `text`: the text is not a number.
 */
export type TypedNumberErrorCode = 'point' | 'signs' | 'short' | 'grouping' | 'decimals' | 'large' | 'negative' | 'text'

interface Options {
  /**
   * The decimal separator, if it is known, for example from the other numbers in a column. By default, a point is
   * expected, and a text such as 12.500 is rejected, because some users group thousands with a point.
   */
  decimalSign?: DecimalSign
  /** The maximum number of decimals, such as 2 for an amount in dollars or 4 for a unit price. Defaults to 10. */
  decimals?: number
  /** Whether the number can be negative. Defaults to true. */
  isNegativeAllowed?: boolean
  /** The only currency that the text may contain. Defaults to any currency. */
  currency?: string
}

const MAX_DIGITS = 10

/**
 * Parses a number in a format that users type, such as `1,250.50`, `$1 250`, `(75.00)`, or `USD 80`. If a text is
 * ambiguous, returns an error with the possible numbers, because a guess would sometimes be wrong.
 */
export function parseTypedNumber(text: string, options: Options = {}): TypedNumber {
  const { decimals = 10, isNegativeAllowed = true, currency } = options
  const typed = text.trim()
  if (typed === '') return { value: null, error: null }
  const { digits, isNegative } = removeDecoration(typed, currency)
  const signed = (value: number) => (isNegative && value !== 0 ? -value : value)
  const fail = (code: TypedNumberErrorCode, ...candidates: number[]): TypedNumber => ({
    value: null,
    error: { code, typed, candidates: candidates.map(signed) },
  })

  const sign = options.decimalSign ?? 'point'
  if (options.decimalSign === undefined && POINT_OR_GROUP.test(digits))
    return fail('point', Number(digits.replace('.', '')), Number(digits))
  if (!PATTERNS[sign].test(digits)) {
    const other = sign === 'point' ? 'comma' : 'point'
    if (PATTERNS[other].test(digits)) return fail('signs', Number(toPlainDigits(digits, other)))
    const short = SHORT.exec(digits)
    if (short !== null) return fail('short', expandShort(short))
    const isNumeric = /\d/.test(digits) && /^[\d., ]+$/.test(digits)
    return isNumeric ? fail('grouping', ...findCandidates(digits, sign)) : fail('text')
  }

  const plain = toPlainDigits(digits, sign)
  const [whole = '', rest = ''] = plain.split('.')
  if (whole.length > MAX_DIGITS) return fail('large')
  if (rest.length > decimals) return fail('decimals')
  const value = signed(Number(plain))
  return value < 0 && !isNegativeAllowed ? fail('negative') : { value, error: null }
}

/** Returns whether the text is a number with this decimal separator. */
export function isTypedNumber(text: string, decimalSign: DecimalSign): boolean {
  const { value } = parseTypedNumber(text, { decimalSign })
  return value !== null
}

/** Returns the error as a predicate without a subject, including the possible numbers. */
export function describeTypedNumberError({ code, candidates }: TypedNumberError, sign: DecimalSign = 'point'): string {
  if (code === 'decimals') return 'has too many decimals'
  if (code === 'large') return 'is too large'
  if (code === 'negative') return 'must not be negative'
  if (candidates.length === 0) return `must be a number, such as ${sign === 'point' ? '1,250.50' : '1.250,50'}`
  return `is ambiguous; write ${candidates.map((candidate) => formatCandidate(candidate, sign)).join(' or ')}`
}

/**
 * Formats a number for a field in which a user can edit it. If the number has three decimals, adds a zero, because
 * three decimals look like a group of thousands.
 */
export function formatTypedNumber(value: number): string {
  const plain = String(value)
  return /\.\d{3}$/.test(plain) ? `${plain}0` : plain
}

/** Matches digits, with or without groups of three, followed by decimals. */
const PATTERNS: Readonly<Record<DecimalSign, RegExp>> = {
  point: /^(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[' \u2019]\d{3})+|\d+)(?:\.\d*)?$|^\.\d+$/,
  comma: /^(?:\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[' \u2019]\d{3})+|\d+)(?:,\d*)?$|^,\d+$/,
}

/** Matches 12.500 but not 0.125, because a group of thousands never follows a leading zero. */
const POINT_OR_GROUP = /^[1-9]\d{0,2}\.\d{3}$/
const SHORT = /^(\d{1,7}(?:\.\d{1,3})?) *(k|m|mil)$/i
const FACTORS: Readonly<Record<string, number>> = { k: 1000, mil: 1000, m: 1_000_000 }

function expandShort([, digits, letters = '']: RegExpExecArray): number {
  return Math.round(Number(digits) * (FACTORS[letters.toLowerCase()] ?? 1))
}

/**
 * Removes the currency and the sign of a number. A number in parentheses (as in accounting), or with a minus sign at
 * either end, is negative.
 */
function removeDecoration(typed: string, currency: string | undefined): { digits: string; isNegative: boolean } {
  // The normalization replaces full-width digits and no-break spaces, among others.
  const number = typed.normalize('NFKC').replaceAll('\u2212', '-').replaceAll(/\s+/g, ' ')
  const inside = /^\( ?(.*?) ?\)$/.exec(number)?.[1]
  const bare = removeCurrency(inside ?? number, currency)
  const [, before = '', middle = '', after = ''] = /^([+-]?) ?(.*?) ?(-?)$/.exec(bare) ?? []
  const signs = [inside === undefined ? '' : '(', before, after].filter((each) => each !== '')
  // A number with two signs, such as (-5), is ambiguous.
  if (signs.length > 1) return { digits: typed, isNegative: false }
  return { digits: removeCurrency(middle, currency), isNegative: signs.length === 1 && before !== '+' }
}

/** Removes the currency symbol or code at the beginning or the end of the text. */
function removeCurrency(text: string, currency: string | undefined): string {
  const withoutSign = text.replace(/^(?:US)?\p{Sc} ?| ?\p{Sc}$/u, '')
  const isCode = (code: string) => (currency === undefined ? CURRENCIES.has(code) : code === currency)
  return withoutSign
    .replace(/^([A-Z]{3})(?=[-\d., ]) ?/i, (all, code: string) => (isCode(code.toUpperCase()) ? '' : all))
    .replace(/(?<=\d) ?([A-Z]{3})$/i, (all, code: string) => (isCode(code.toUpperCase()) ? '' : all))
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

function toPlainDigits(digits: string, sign: DecimalSign): string {
  const [whole = '', decimals = ''] = digits.split(sign === 'point' ? '.' : ',')
  const plain = whole.replaceAll(/\D/g, '').replace(/^0+(?=\d)/, '') || '0'
  return decimals === '' ? plain : `${plain}.${decimals}`
}

/** Returns the number without group separators as the only element; empty if the text is not a number. */
function findCandidates(digits: string, sign: DecimalSign): number[] {
  const plain = digits.replaceAll(sign === 'point' ? /[, ]/g : /[. ]/g, '')
  const isNumber = PATTERNS[sign].test(plain) && plain.length <= MAX_DIGITS
  return isNumber ? [Number(toPlainDigits(plain, sign))] : []
}

function formatCandidate(value: number, sign: DecimalSign): string {
  const fewest = Number.isInteger(value) ? 0 : 2
  return new Intl.NumberFormat(sign === 'point' ? 'en-US' : 'de-DE', {
    ...{ minimumFractionDigits: fewest, maximumFractionDigits: 10 },
  }).format(value)
}
