import ical, { ICalEventStatus } from 'ical-generator'
import type { Task } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import type { Entry } from './queries.ts'

/** How often programs are to read a calendar again, in seconds. */
const REFRESH_SECONDS = 3600

/** A calendar as programs read it (RFC 5545): a task is an event of whole days, and has no price. */
export function calendarOf({ name, withVendors }: { name: string; withVendors: boolean }, entries: readonly Entry[]) {
  const calendar = ical({
    name: escaped(name),
    prodId: { company: 'Plumbline', product: 'Schedule', language: 'EN' },
    ttl: REFRESH_SECONDS,
  })
  for (const entry of entries) {
    const at = new Date(entry.updatedAt)
    calendar.createEvent({
      // The same in every calendar and on every reading, so that a task that moves is moved and not doubled.
      id: `${entry.id}@plumbline`,
      sequence: entry.version,
      stamp: at,
      lastModified: at,
      allDay: true,
      start: midnight(entry.earlyStart),
      // The end is the first day after it.
      end: midnight(addDays(entry.earlyFinish, 1)),
      summary: printable(`${entry.home}: ${entry.name}`),
      location: printable(placeOf(entry)),
      description: printable(descriptionOf(entry, withVendors)),
      status: STATUS[entry.status],
    })
  }
  // The library ends the last line without a line break, which every line has.
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

// Days have no time zone here; the library writes the date in UTC.
function midnight(date: string): Date {
  return new Date(`${date}T00:00:00Z`)
}

/** Without the control characters that no text of a calendar may have. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: These are what is taken out.
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
}

/** The library escapes the texts of events, but not the name of the calendar. */
function escaped(text: string): string {
  return printable(text.replaceAll('\n', ' ')).replace(/[\\;,]/g, '\\$&')
}
