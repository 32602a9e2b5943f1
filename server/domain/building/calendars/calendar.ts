import ical, { ICalEventStatus } from 'ical-generator'
import type { Task } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import type { Entry } from './queries.ts'

/** Interval in seconds at which programs should read a calendar again. */
const REFRESH_SECONDS = 3600

/** Returns a calendar in iCalendar format (RFC 5545). A task is an all-day event and has no price. */
export function calendarOf({ name, withVendors }: { name: string; withVendors: boolean }, entries: readonly Entry[]) {
  const calendar = ical({
    name: escaped(name),
    prodId: { company: 'Plumbline', product: 'Schedule', language: 'EN' },
    ttl: REFRESH_SECONDS,
  })
  for (const entry of entries) {
    const at = new Date(entry.updatedAt)
    calendar.createEvent({
      // The same ID in every calendar and on every reading, so that a moved task is not duplicated.
      id: `${entry.id}@plumbline`,
      sequence: entry.version,
      stamp: at,
      lastModified: at,
      allDay: true,
      start: midnight(entry.earlyStart),
      // The end date is exclusive.
      end: midnight(addDays(entry.earlyFinish, 1)),
      summary: printable(`${entry.home}: ${entry.name}`),
      location: printable(placeOf(entry)),
      description: printable(descriptionOf(entry, withVendors)),
      status: STATUS[entry.status],
    })
  }
  // The library omits the line break of the last line, which the format requires.
  return `${calendar.toString()}\r\n`
}

const STATUS: Readonly<Record<Task['status'], ICalEventStatus>> = {
  not_started: ICalEventStatus.CONFIRMED,
  in_progress: ICalEventStatus.CONFIRMED,
  completed: ICalEventStatus.CONFIRMED,
  on_hold: ICalEventStatus.TENTATIVE,
  skipped: ICalEventStatus.CANCELLED,
}

const SAID: Readonly<Record<Task['status'], string>> = {
  not_started: 'Not started',
  in_progress: 'In progress',
  completed: 'Completed',
  on_hold: 'On hold',
  skipped: 'Skipped',
}

function placeOf({ address, home, community }: Entry): string {
  const { line1 = null, city = null, state = null, postalCode = null } = address ?? {}
  const parts = line1 === null ? [home, community] : [line1, city, [state, postalCode].filter(Boolean).join(' ')]
  return parts.filter(Boolean).join(', ')
}

function descriptionOf({ community, scope, status, vendor }: Entry, withVendors: boolean): string {
  const lines = [community, scope, withVendors ? vendor : null, SAID[status]]
  return lines.filter((line) => line !== null).join('\n')
}

// Dates have no time zone here; the library writes them in UTC.
function midnight(date: string): Date {
  return new Date(`${date}T00:00:00Z`)
}

/** Removes the control characters that calendar texts must not contain. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These are what is taken out.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
}

/** The library escapes the texts of events, but not the name of the calendar. */
function escaped(text: string): string {
  return printable(text.replaceAll('\n', ' ')).replace(/[\\;,]/g, '\\$&')
}
