import type { VendorLanguage } from '../../../../../client/contract.gen.ts'
import { toLocalDate } from '../../../../platform/values/calendar.ts'
import { humanizeValue } from '../../../../platform/values/format.ts'
import { getMinorUnits } from '../../../../platform/values/minor-units.ts'
import { english, type Words } from './english.ts'
import { spanish } from './spanish.ts'

/** The language settings of a page's reader: the texts and the formats of dates and amounts. */
export interface PageLocale {
  readonly words: Words
  /** Returns the name of a trade in the reader's language, if the builder has translated it. */
  tradeName(trade: { scope: string; spanishScope: string | null }): string
  /** Returns the name of a task in the reader's language, if the builder has translated it. */
  taskName(task: { name: string; spanishName: string | null }): string
  money(amount: number, currency: string): string
  /** Formats the full price of one unit, with up to four decimals. */
  unitPrice(amount: number, currency: string): string
  /** Returns the symbol of a currency, such as $. */
  sign(currency: string): string
  number(value: number): string
  /** Formats a number as a user would type it, with exactly this number of decimals after a period. */
  typedNumber(value: number, decimals: number): string
  /** Formats a date as "Saturday, December 5, 2026". */
  longDate(date: string): string
  /** Formats a date as "Sat, Dec 5", with the year if it is not the current year. */
  shortDate(date: string): string
  /** Returns the calendar day of a timestamp in the job's time zone. */
  dayOf(timestamp: string, timeZone: string): string
  /** Returns the date and time of a timestamp in the job's time zone, with the zone's name. */
  timeOf(timestamp: string, timeZone: string): string
  /** Returns the short name of a time zone at a timestamp, such as CST. */
  zoneName(timestamp: string, timeZone: string): string
}

const WORDS: Readonly<Record<VendorLanguage, Words>> = { en: english, es: spanish }

export const LANGUAGES = Object.keys(WORDS) as readonly VendorLanguage[]

/**
 * Returns the first supported language among the candidates, which the caller passes in this order: the language chosen
 * on a page, the language recorded for the vendor, and the browser's language.
 */
export function chooseLanguage(...wishes: readonly (string | null | undefined | false)[]): VendorLanguage {
  const wish = wishes.find((candidate) => LANGUAGES.some((language) => language === candidate))
  return LANGUAGES.find((language) => language === wish) ?? 'en'
}

// Creating formatters takes longer than using them, so each language has one set of formatters.
const FORMATS_BY_LANGUAGE = new Map(LANGUAGES.map((language) => [language, createFormats(WORDS[language])]))

export function createPageLocale(language: VendorLanguage, now: Date): PageLocale {
  const words = WORDS[language]
  const { long, short, withYear, plain } = FORMATS_BY_LANGUAGE.get(language) ?? createFormats(words)
  const thisYear = now.toISOString().slice(0, 4)
  const shortDate = (date: string) => (date.startsWith(thisYear) ? short : withYear).format(new Date(date))
  const amounts = new Map<string, Intl.NumberFormat>()
  const formatOf = (currency: string, decimals: number): Intl.NumberFormat => {
    const name = `${currency} ${decimals}`
    const format =
      amounts.get(name) ??
      new Intl.NumberFormat(words.locale, {
        ...{
          style: 'currency',
          currency,
          minimumFractionDigits: getMinorUnits(currency),
          maximumFractionDigits: decimals,
        },
      })
    amounts.set(name, format)
    return format
  }
  const inCurrency = (currency: string, decimals: number, amount: number) =>
    formatOf(currency, decimals).format(amount).replace('-', '−')
  const isSpanish = language === 'es'
  return {
    words,
    tradeName: ({ scope, spanishScope }) => capitalizeTrade((isSpanish ? spanishScope : null) ?? scope),
    taskName: ({ name, spanishName }) => (isSpanish ? spanishName : null) ?? name,
    money: (amount, currency) => inCurrency(currency, getMinorUnits(currency), amount),
    unitPrice: (amount, currency) => inCurrency(currency, 4, amount),
    sign: (currency) =>
      formatOf(currency, getMinorUnits(currency))
        .formatToParts(0)
        .find(({ type }) => type === 'currency')?.value ?? currency,
    number: (value) => plain.format(value),
    typedNumber: (value, decimals) =>
      value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
    longDate: (date) => long.format(new Date(date)),
    shortDate,
    dayOf: (timestamp, timeZone) => shortDate(toLocalDate(timeZone, new Date(timestamp))),
    timeOf: (timestamp, timeZone) =>
      new Intl.DateTimeFormat(words.locale, {
        ...{ dateStyle: 'long', timeStyle: 'long', timeZone },
      }).format(new Date(timestamp)),
    zoneName: (timestamp, timeZone) =>
      new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' })
        .formatToParts(new Date(timestamp))
        .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone,
  }
}

/** Builders write trades in lowercase, but on a page, a trade is a title or the value of a fact. */
function capitalizeTrade(trade: string): string {
  const name = humanizeValue(trade).replaceAll(/\bhvac\b/g, 'HVAC')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

function createFormats({ locale }: Words) {
  // A calendar date has no time zone. Formatting it in UTC does not change the day.
  const timeZone = 'UTC'
  return {
    long: new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone }),
    short: new Intl.DateTimeFormat(locale, { weekday: 'short', month: 'short', day: 'numeric', timeZone }),
    withYear: new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', year: 'numeric', timeZone }),
    plain: new Intl.NumberFormat(locale, { maximumFractionDigits: 4 }),
  }
}
