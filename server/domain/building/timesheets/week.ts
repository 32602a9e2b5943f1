import type { OvertimeRule, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import type { NewRowValues } from '../../../platform/resources/resource.ts'
import { formatTimestamp } from '../../../platform/values/format.ts'
import { type CountedEntry, countWeekHours } from './count-hours.ts'
import * as entries from './entry-queries.ts'
import { assertHoursFitDay, assertWithinWeek, type EntryTimes } from './entry-times.ts'
import * as timesheets from './queries.ts'
import { MAX_ENTRIES } from './timesheet.ts'

/**
 * The fields of a new entry. The functions of this file require that the user and the timesheet's row are locked. Each
 * change counts the week again, because one more hour on Monday can turn an hour on Friday into overtime.
 */
export type EntryDraft = Omit<NewRowValues<TimeEntry>, keyof CountedEntry | 'timesheetId' | 'userId'>

export async function addEntry(call: WriteCall, sheet: Timesheet, draft: EntryDraft & EntryTimes): Promise<TimeEntry> {
  const before = await entries.listEntriesOfTimesheet(call, sheet.id)
  if (before.length >= MAX_ENTRIES)
    throw conflict(
      'limit_reached',
      `Cannot add the time entry: the timesheet already has ${MAX_ENTRIES} entries, the maximum.`,
    )
  await assertEntryFits(call, sheet, draft, null)
  const rule = await findOvertimeRule(call)
  const counted = countWeekHours([...before, { rate: null, ...draft }], rule, sheet.rate, call.currency)
  const own = counted.entries.at(-1) ?? { overtimeHours: 0, cost: null }
  const added = await entries.insert(call, { ...draft, ...own, timesheetId: sheet.id, userId: sheet.userId })
  await storeOtherEntries(call, before, counted.entries)
  await timesheets.update(call, sheet, { ...counted.totals, overtimeRule: rule })
  return added
}

export async function changeEntry(
  call: WriteCall,
  sheet: Timesheet,
  entry: TimeEntry,
  changes: Partial<EntryDraft>,
): Promise<TimeEntry> {
  const requested: TimeEntry = { ...entry, ...omitUndefined(changes) }
  await assertEntryFits(call, sheet, requested, entry.id)
  const before = await entries.listEntriesOfTimesheet(call, sheet.id)
  const rule = await findOvertimeRule(call)
  const counted = countWeekHours(
    before.map((each) => (each.id === entry.id ? requested : each)),
    rule,
    sheet.rate,
    call.currency,
  )
  const place = before.findIndex(({ id }) => id === entry.id)
  const changed = await entries.update(call, entry, { ...changes, ...counted.entries[place] })
  await storeOtherEntries(call, before, counted.entries, entry.id)
  await timesheets.update(call, sheet, { ...counted.totals, overtimeRule: rule })
  return changed
}

export async function removeEntry(call: WriteCall, sheet: Timesheet, entry: TimeEntry): Promise<void> {
  await entries.archive(call, entry)
  await recalculateWeek(call, sheet, {})
}

/** Counts the hours of the week again by the organization's rule, and updates the totals of the timesheet. */
export async function recalculateWeek(
  call: WriteCall,
  sheet: Timesheet,
  changes: Partial<Pick<Timesheet, 'status' | 'submittedAt' | 'rate' | 'notes' | 'externalId'>>,
): Promise<Timesheet> {
  const before = await entries.listEntriesOfTimesheet(call, sheet.id)
  const rule = await findOvertimeRule(call)
  const { rate = sheet.rate } = changes
  const counted = countWeekHours(before, rule, rate, call.currency)
  await storeOtherEntries(call, before, counted.entries)
  return timesheets.update(call, sheet, { ...changes, ...counted.totals, overtimeRule: rule })
}

async function findOvertimeRule(call: WriteCall): Promise<OvertimeRule> {
  return (await timesheets.findWeekSettings(call)).overtimeRule
}

/** Stores the new values of the entries that the request did not change. */
async function storeOtherEntries(
  call: WriteCall,
  before: readonly TimeEntry[],
  counted: readonly CountedEntry[],
  except?: string,
): Promise<void> {
  const changed = before.flatMap((entry, i) => {
    const { overtimeHours, cost } = counted[i] ?? entry
    const isSame = overtimeHours === entry.overtimeHours && cost === entry.cost
    return isSame || entry.id === except ? [] : [{ before: entry, after: { ...entry, overtimeHours, cost } }]
  })
  await entries.updateAll(call, changed)
}

/** Throws if the time is outside the week, exceeds the hours of a day, or overlaps another entry of the user. */
async function assertEntryFits(
  call: WriteCall,
  sheet: Timesheet,
  times: EntryTimes,
  except: string | null,
): Promise<void> {
  const { userId } = sheet
  assertWithinWeek(times, sheet)
  await assertDayIsFree(call, sheet, times)
  if (times.hours !== null) {
    const others = await entries.sumHoursOnDate(call, { userId, date: times.date, except })
    assertHoursFitDay(times, others, call.timeZone)
  }
  if (times.startedAt === null) return
  const now = call.now.toISOString()
  const { startedAt } = times
  // A user who is clocked in has worked until now.
  const endedAt = times.endedAt ?? now
  const other = await entries.findOverlappingEntry(call, { userId, startedAt, endedAt, now, except })
  if (other === undefined) return
  const from = formatTimestamp(other.startedAt, call.timeZone)
  throw conflict(
    'period_taken',
    other.endedAt === null
      ? `The user has been clocked in since ${from}.`
      : `The user already has a time entry from ${from} until ${formatTimestamp(other.endedAt, call.timeZone)}.`,
  )
}

/**
 * Throws if the date belongs to another timesheet of the user. After a change of the first day of the week, two
 * timesheets can contain a date. The date belongs to the timesheet with time on it or, if there is none, to the earlier
 * timesheet.
 */
async function assertDayIsFree(call: WriteCall, sheet: Timesheet, { date, startedAt }: EntryTimes): Promise<void> {
  const owner = await timesheets.findOtherTimesheetOfDate(call, sheet, date)
  if (owner === undefined) return
  const message = `must not be ${date}, which belongs to the timesheet for the week of ${owner.weekStarting} (${owner.id})`
  throw validationFailed([{ pointer: startedAt === null ? '/date' : '/startedAt', code: 'out_of_week', message }])
}

function omitUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
