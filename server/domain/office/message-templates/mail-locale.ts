import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import { SPANISH_NOTICE_WORDS } from './spanish.ts'

/** The language of an email to a vendor, and its formats of dates and amounts. */
export interface MailLocale {
  readonly language: VendorLanguage
  /** Formats a calendar date (YYYY-MM-DD) with its weekday, for example as Wednesday, December 3, 2031. */
  date(date: string): string
  /** Formats an amount, for example as $5,000.00. */
  amount(amount: number, currency: string): string
  readonly words: NoticeWords
}

/** The texts that notices of dates insert into a template. */
export interface NoticeWords {
  /** Used if the task is unknown. */
  work: string
  insteadOf(date: string, before: string): string
  confirmDate: string
}

// A calendar date has no time zone. Formatting it in UTC does not change the day.
const englishDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' })
const spanishDate = new Intl.DateTimeFormat('es-US', { dateStyle: 'full', timeZone: 'UTC' })

const english: MailLocale = {
  ...{ language: 'en', date: (date) => englishDate.format(new Date(date)), amount: formatAmount },
  words: {
    work: 'work',
    insteadOf: (date, before) => `${date} instead of ${before}`,
    confirmDate: 'Please confirm this date.',
  },
}

const spanish: MailLocale = {
  ...{ language: 'es', date: (date) => spanishDate.format(new Date(date)), amount: formatSpanishAmount },
  words: SPANISH_NOTICE_WORDS,
}

export const MAIL_LOCALES: Readonly<Record<VendorLanguage, MailLocale>> = { en: english, es: spanish }

/** Formats an amount with its currency as in Spanish texts in the United States. */
function formatSpanishAmount(amount: number, currency: string): string {
  const decimals = getMinorUnits(currency)
  return new Intl.NumberFormat('es-US', {
    ...{ style: 'currency', currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals },
  }).format(amount)
}
