import type { Visit } from '../../../../client/contract.gen.ts'
import { formatDate } from '../../../platform/values/format.ts'

/** The texts of messages that the service writes to vendors. */
export interface VendorMessageWords {
  date(date: string): string
  revision: {
    subject(sheetNumber: string): string
    /** `sheet` is the number and title of the drawing. */
    body(sheet: string, label: string, orders: string): string
  }
  visit: {
    subject(home: string, date: string): string
    body(date: string, window: Visit['window']): string
  }
  punch: {
    subject(home: string): string
    opening(count: number, home: string): string
    due(date: string): string
    more(count: number): string
    closing: string
  }
}

const WINDOWS = { am: ', in the morning', pm: ', in the afternoon', any: '' }

export const english: VendorMessageWords = {
  date: formatDate,
  revision: {
    subject: (sheetNumber) => `Drawing ${sheetNumber} was revised`,
    body: (sheet, label, orders) =>
      `${sheet} is now revision ${label}. It affects ${orders}. Use only the current drawing, which is in your portal.`,
  },
  visit: {
    subject: (home, date) => `Service visit to ${home} on ${date}`,
    body: (date, window) => `Please confirm this visit in your portal: ${date}${WINDOWS[window]}.`,
  },
  punch: {
    subject: (home) => `Items to fix in ${home}`,
    opening: (count, home) => `Please fix ${count === 1 ? 'this item' : `these ${count} items`} in ${home}:`,
    due: (date) => `Due ${date}.`,
    more: (count) => `And ${count} more.`,
    closing: 'Respond in your portal.',
  },
}
