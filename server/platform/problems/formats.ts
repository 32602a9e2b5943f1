import type { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { getMinorUnits, MAX_DECIMALS } from '../values/minor-units.ts'

/**
 * The contract's own formats. Decimals are counted in the JSON text of the number, because arithmetic on binary floats
 * (`multipleOf: 0.01`) is wrong for numbers such as 1.15.
 */
export const decimalFormats = {
  // The maximum number of decimals of any currency. Once the caller is known, the decimals are checked against the
  // organization's currency.
  money: decimalFormat(MAX_DECIMALS),
  percent: decimalFormat(2),
  'unit-price': decimalFormat(4),
  quantity: decimalFormat(4),
}

/**
 * The contract's own formats, and standard formats that are stricter here than usual: PostgreSQL must be able to store
 * a timestamp.
 */
export const formats = {
  ...decimalFormats,
  'date-time': (text: string) => findTimestampError(text) === null,
}

/**
 * Options with which Ajv compiles schemas in half the default time, into code that validates equally fast. Most schemas
 * validate only a few values. A schema to which many other schemas refer is compiled once, instead of being compiled
 * into each of them.
 */
export const FAST_COMPILATION = { inlineRefs: false, code: { optimize: false } } as const

/**
 * Adds all formats to Ajv. The contract's formats are added last, because later formats take precedence. Amounts may
 * have at most `moneyDecimals` decimals.
 */
export function registerFormats<A extends Pick<Ajv2020, 'addFormat'>>(ajv: A, moneyDecimals = MAX_DECIMALS): A {
  addFormats.default(ajv as unknown as Parameters<typeof addFormats.default>[0], { mode: 'full' })
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format)
  ajv.addFormat('money', decimalFormat(moneyDecimals))
  return ajv
}

const INVALID_TIMESTAMP = 'must be a timestamp like 2026-03-31T14:30:00Z'

/** The requirement of each format in the contract, worded for the sender of an invalid value. */
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

/** Returns the requirement for a particular value, for which there may be a more specific message. */
export function describeFormatError(format: string, value: unknown): string | undefined {
  const words = formatMessages[format]
  return format === 'date-time' && typeof value === 'string' ? (findTimestampError(value) ?? words) : words
}

/** Returns the message for an amount with more decimals than the currency allows. */
export function describeMoneyError(currency: string): string {
  const decimals = getMinorUnits(currency)
  if (decimals === 0) return `must be a whole number, because ${currency} has no decimals`
  return `must have at most ${decimals} decimals in ${currency}`
}

/** Returns whether any number in a value has more decimals than the currency allows. Numbers in strings are ignored. */
export function hasTooManyDecimals(value: unknown, currency: string): boolean {
  if (typeof value === 'number')
    return !Number.isInteger(value) && !decimalFormat(getMinorUnits(currency)).validate(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((inner) => hasTooManyDecimals(inner, currency))
}

/** The requirement of each pattern in the contract. A test fails if a pattern has no message here. */
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
 * Returns the error of a timestamp; null if PostgreSQL can store the timestamp. RFC 3339 allows leap seconds and any
 * offset below a day. PostgreSQL moves a leap second into the next minute, and rejects offsets of 16 hours or more.
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
  // Responses use UTC and write the year with four digits.
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
