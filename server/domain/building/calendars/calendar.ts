import ical, { ICalEventStatus } from 'ical-generator'
import type { Task } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import type { CalendarEntry } from './queries.ts'

/** The interval in seconds at which calendar programs should read the calendar again. */
const REFRESH_SECONDS = 3600

/** Returns a calendar in iCalendar format (RFC 5545). Each task becomes an all-day event, without prices. */
export function buildCalendar(
  { name, withVendors }: { name: string; withVendors: boolean },
  entries: readonly CalendarEntry[],
) {
  const calendar = ical({
    name: escapeName(name),
    prodId: { company: 'Plumbline', product: 'Schedule', language: 'EN' },
    ttl: REFRESH_SECONDS,
  })
  for (const entry of entries) {
    const at = new Date(entry.updatedAt)
    calendar.createEvent({
      // The ID of a task is the same in every calendar and on every read, so that calendar programs move the task
      // instead of duplicating it.
      id: `${entry.id}@plumbline`,
      sequence: entry.version,
      stamp: at,
      lastModified: at,
      allDay: true,
      start: toMidnight(entry.earlyStart),
      // In iCalendar, the end date is exclusive.
      end: toMidnight(addDays(entry.earlyFinish, 1)),
      summary: removeControlCharacters(`${entry.home}: ${entry.name}`),
      location: removeControlCharacters(formatLocation(entry)),
      description: removeControlCharacters(formatDescription(entry, withVendors)),
      status: isUnconfirmed(entry) ? ICalEventStatus.TENTATIVE : EVENT_STATUSES[entry.status],
    })
  }
  // The format requires a line break after the last line, which the library omits.
  return `${calendar.toString()}\r\n`
}

/** Returns whether the vendor has not yet confirmed the date of a task that has not started. */
function isUnconfirmed({ status, vendor, confirmationStatus }: CalendarEntry): boolean {
  return status === 'not_started' && vendor !== null && confirmationStatus !== 'confirmed'
}

const EVENT_STATUSES: Readonly<Record<Task['status'], ICalEventStatus>> = {
  not_started: ICalEventStatus.CONFIRMED,
  in_progress: ICalEventStatus.CONFIRMED,
  completed: ICalEventStatus.CONFIRMED,
  on_hold: ICalEventStatus.TENTATIVE,
  skipped: ICalEventStatus.CANCELLED,
}

const STATUS_TEXTS: Readonly<Record<Task['status'], string>> = {
  not_started: 'Not started',
  in_progress: 'In progress',
  completed: 'Completed',
  on_hold: 'On hold',
  skipped: 'Skipped',
}

function formatLocation({ address, home, community }: CalendarEntry): string {
  const { line1 = null, city = null, state = null, postalCode = null } = address ?? {}
  const parts = line1 === null ? [home, community] : [line1, city, [state, postalCode].filter(Boolean).join(' ')]
  return parts.filter(Boolean).join(', ')
}

function formatDescription(entry: CalendarEntry, withVendors: boolean): string {
  const { community, scope, status, vendor } = entry
  const confirmation = isUnconfirmed(entry) ? 'Date not confirmed' : null
  const lines = [community, scope, withVendors ? vendor : null, STATUS_TEXTS[status], confirmation]
  return lines.filter((line) => line !== null).join('\n')
}

// Returns midnight in UTC, because the library writes dates without a time zone in UTC.
function toMidnight(date: string): Date {
  return new Date(`${date}T00:00:00Z`)
}

/** Removes the control characters that calendar texts must not contain. */
function removeControlCharacters(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These are what is taken out.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
}

/** Escapes the name of the calendar, because the library escapes only the texts of events. */
function escapeName(text: string): string {
  return removeControlCharacters(text.replaceAll('\n', ' ')).replace(/[\\;,]/g, '\\$&')
}
