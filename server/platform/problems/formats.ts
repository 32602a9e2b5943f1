import type { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { getMinorUnits, MAX_DECIMALS } from '../values/minor-units.ts'

/**
 * The formats that the contract defines. The number of decimals is determined from the JSON text of a number, because
 * arithmetic with binary floating-point numbers (`multipleOf: 0.01`) is wrong for numbers such as 1.15.
 */
export const decimalFormats = {
  // The maximum number of decimals of all currencies. When the caller is known, the decimals are compared with those of
  // the organization's currency.
  money: decimalFormat(MAX_DECIMALS),
  percent: decimalFormat(2),
  'unit-price': decimalFormat(4),
  quantity: decimalFormat(4),
}

/**
 * The formats that the contract defines, and standard formats with additional restrictions: PostgreSQL must be able to
 * store a timestamp.
 */
export const formats = {
  ...decimalFormats,
  'date-time': (text: string) => findTimestampError(text) === null,
}

/**
 * The options with which Ajv compiles schemas in half of the default time. The compiled code is equally fast.
 * Optimizing the code is not worthwhile, because most schemas validate only a few values. A schema to which many others
 * refer is compiled only once, instead of separately in each of them.
 */
export const FAST_COMPILATION = { inlineRefs: false, code: { optimize: false } } as const

/**
 * Adds all formats to Ajv. Adds the formats of the contract last, so that they take precedence. `moneyDecimals` is the
 * maximum number of decimals of amounts.
 */
export function registerFormats<A extends Pick<Ajv2020, 'addFormat'>>(ajv: A, moneyDecimals = MAX_DECIMALS): A {
  addFormats.default(ajv as unknown as Parameters<typeof addFormats.default>[0], { mode: 'full' })
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  ajv.addFormat('money', decimalFormat(moneyDecimals))
  return ajv
}

const INVALID_TIMESTAMP = 'must be a timestamp like 2026-03-31T14:30:00Z'

/** For each format in the contract, the message about an invalid value. */
export const formatMessages: Readonly<Record<string, string>> = {
  date: 'must be a date like 2026-03-31',
  'date-time': INVALID_TIMESTAMP,
  email: 'must be an email address like estimating@brazosframing.example.com',
  uri: 'must be a URL like https://hooks.example.com/plumbline',
  money: 'must be an amount with no more decimals than its currency has, like 1250.50',
  percent: 'must be a percentage with at most two decimals, like 7.25',
  'unit-price': 'must be a price with at most four decimals, like 3.1275',
  quantity: 'must be a quantity with at most four decimals, like 12.5',
}

/** Returns the message about a value with an invalid format, which can be more specific for some values. */
export function describeFormatError(format: string, value: unknown): string | undefined {
  const words = formatMessages[format]
  return format === 'date-time' && typeof value === 'string' ? (findTimestampError(value) ?? words) : words
}

/** Returns the message about an amount with more decimals than the currency has. */
export function describeMoneyError(currency: string): string {
  const decimals = getMinorUnits(currency)
  if (decimals === 0) return `must be a whole number, because ${currency} has no decimals`
  return `must have at most ${decimals} decimals in ${currency}`
}

/** Returns whether a number in the value has more decimals than the currency. Ignores numbers in strings. */
export function hasTooManyDecimals(value: unknown, currency: string): boolean {
  if (typeof value === 'number')
    return !Number.isInteger(value) && !decimalFormat(getMinorUnits(currency)).validate(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((inner) => hasTooManyDecimals(inner, currency))
}

/** For each pattern in the contract, the message about an invalid value. A test fails if a pattern has no message. */
export const patternMessages: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  '^0{0,3}[^0]': 'must not be in the year 0000',
  '^[0-9]{4}-(0[1-9]|1[0-2])$': 'must be a month like 2026-12',
  '^[A-Z]{2}$': 'must be two uppercase letters, like US',
  '^[A-Za-z0-9_-]+$': 'must contain only letters, digits, hyphens, and underscores',
  '^[A-Za-z][A-Za-z0-9]*$': 'must contain only letters and digits and begin with a letter, like roofSquares',
  '^[a-z][a-z0-9_]*$':
    'must contain only lowercase letters, digits, and underscores and begin with a letter, like contract_signed',
  '^([A-Za-z0-9][ ./-]?){8,20}$': 'must have 8 to 20 letters and digits, like 12-3456789',
  '^[a-z_]+(\\.[a-z_]+)+$': 'must be a name with a dot, like key.revoked',
  '^[ -~]+$': 'must contain only printable ASCII characters',
  '^[A-Za-z0-9+/]+={0,2}$': 'must be base64, without line breaks',
  '^bytes=([0-9]{1,15}-[0-9]{0,15}|-[0-9]{1,15})$': 'must be a single byte range, like bytes=0-1023',
  '^(\\*|(W/)?"[ !#-~]*"( *, *(W/)?"[ !#-~]*")*)$': 'must be * or quoted ETags separated by commas',
  '^[Hh][Tt][Tt][Pp][Ss]?://': 'must begin with https:// or http://',
  '^(whsec_([A-Za-z0-9+/]{4}){4,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|([^w]|w[^h]|wh[^s]|whs[^e]|whse[^c]|whsec[^_])[\\s\\S]*)$':
    'must have at least 16 characters of padded base64 after whsec_ if it begins with whsec_',
}

function decimalFormat(max: number): { type: 'number'; validate(value: number): boolean } {
  const pattern = new RegExp(max === 0 ? '^-?\\d+$' : `^-?\\d+(\\.\\d{1,${max}})?$`)
  return { type: 'number', validate: (value) => pattern.test(String(value)) }
}

const TIMESTAMP_PATTERN = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/
const MINUTES_OF_DAY = 24 * 60

/**
 * Returns the error of a timestamp; null if PostgreSQL can store it. RFC 3339 allows leap seconds and all offsets of
 * less than a day. PostgreSQL converts a leap second to the next minute, and rejects offsets of 16 hours or more.
 */
function findTimestampError(text: string): string | null {
  const found = TIMESTAMP_PATTERN.exec(text)
  if (found === null) return INVALID_TIMESTAMP
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as DateTimeParts
  const [offsetHours, offsetMinutes] = [Number(found[8] ?? 0), Number(found[9] ?? 0)]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return INVALID_TIMESTAMP
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return INVALID_TIMESTAMP
  if (second === 60) return 'must not be a leap second (:60); use the second before or after it'
  if (offsetHours > 15) return 'must have an offset from UTC of less than 16 hours'
  // Responses contain the timestamp in UTC, and their years have four digits.
  const minutes = hour * 60 + minute - (offsetHours * 60 + offsetMinutes) * (found[7] === '-' ? -1 : 1)
  const isPast = year === 9999 && month === 12 && day === 31 && minutes >= MINUTES_OF_DAY
  const isBefore = year === 1 && month === 1 && day === 1 && minutes < 0
  return isPast || isBefore ? 'must be in the years 0001 to 9999 in UTC' : null
}
type DateTimeParts = [number, number, number, number, number, number]

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
