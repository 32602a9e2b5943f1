import type { VendorLanguage } from '../../../../client/contract.gen.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import { toAmountText } from '../../../platform/values/money.ts'

/** The language of an email to a vendor, and its formats of dates and amounts. */
export interface MailLocale {
  readonly language: VendorLanguage
  date(date: string): string
  /** Formats an amount that the text names without its currency in English, for example as 5000.00. */
  amount(amount: number, currency: string): string
}

// The texts of builders contain these formats, so they must not change.
const english: MailLocale = { language: 'en', date: (date) => date, amount: toAmountText }

// A calendar date has no time zone. Formatting it in UTC does not change the day.
const spanishDate = new Intl.DateTimeFormat('es-US', { dateStyle: 'full', timeZone: 'UTC' })

const spanish: MailLocale = {
  language: 'es',
  date: (date) => spanishDate.format(new Date(date)),
  amount: formatDollars,
}

export const MAIL_LOCALES: Readonly<Record<VendorLanguage, MailLocale>> = { en: english, es: spanish }

/** Formats an amount with its currency as it is written in Spanish in the United States, for example as $5,000.00. */
function formatDollars(amount: number, currency: string): string {
  const decimals = getMinorUnits(currency)
  return new Intl.NumberFormat('es-US', {
    ...{ style: 'currency', currency, minimumFractionDigits: decimals, maximumFractionDigits: decimals },
  }).format(amount)
}
