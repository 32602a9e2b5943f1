import type { OvertimeRule, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import type { Values } from '../../../platform/resources/resource.ts'
import { formatTimestamp } from '../../../platform/values/format.ts'
import * as entries from './entry-queries.ts'
import { type Counted, countWeek } from './hours.ts'
import * as timesheets from './queries.ts'
import { assertInDay, assertInWeek, type Times } from './times.ts'
import { MOST_ENTRIES } from './timesheet.ts'

/**
 * Changes to the entries of a timesheet, whose row and user are locked. Each change recounts the week, because one more
 * hour on Monday can turn an hour on Friday into overtime.
 */
export type Draft = Omit<Values<TimeEntry>, keyof Counted | 'timesheetId' | 'userId'>

export async function addEntry(call: WriteCall, sheet: Timesheet, draft: Draft & Times): Promise<TimeEntry> {
  const before = await entries.ofTimesheet(call, sheet.id)
  if (before.length >= MOST_ENTRIES)
    throw conflict('limit_reached', `A timesheet can have at most ${MOST_ENTRIES} entries.`)
  await assertFits(call, sheet, draft, null)
  const rule = await ruleOf(call)
  const counted = countWeek([...before, { rate: null, ...draft }], rule, sheet.rate, call.currency)
  const own = counted.entries.at(-1) ?? { overtimeHours: 0, cost: null }
  const added = await entries.insert(call, { ...draft, ...own, timesheetId: sheet.id, userId: sheet.userId })
  await keepOthers(call, before, counted.entries)
  await timesheets.update(call, sheet, { ...counted.totals, overtimeRule: rule })
  return added
}

export async function changeEntry(
  call: WriteCall,
  sheet: Timesheet,
  entry: TimeEntry,
  changes: Partial<Draft>,
): Promise<TimeEntry> {
  const wanted: TimeEntry = { ...entry, ...given(changes) }
  await assertFits(call, sheet, wanted, entry.id)
  const before = await entries.ofTimesheet(call, sheet.id)
  const rule = await ruleOf(call)
  const counted = countWeek(
    before.map((each) => (each.id === entry.id ? wanted : each)),
    rule,
    sheet.rate,
    call.currency,
  )
  const place = before.findIndex(({ id }) => id === entry.id)
  const changed = await entries.update(call, entry, { ...changes, ...counted.entries[place] })
  await keepOthers(call, before, counted.entries, entry.id)
  await timesheets.update(call, sheet, { ...counted.totals, overtimeRule: rule })
  return changed
}

export async function removeEntry(call: WriteCall, sheet: Timesheet, entry: TimeEntry): Promise<void> {
  await entries.archive(call, entry)
  await recount(call, sheet, {})
}

/** Recounts the week by the organization's rule, and updates the timesheet's totals. */
export async function recount(
  call: WriteCall,
  sheet: Timesheet,
  changes: Partial<Pick<Timesheet, 'status' | 'submittedAt' | 'rate' | 'notes' | 'externalId'>>,
): Promise<Timesheet> {
  const before = await entries.ofTimesheet(call, sheet.id)
  const rule = await ruleOf(call)
  const { rate = sheet.rate } = changes
  const counted = countWeek(before, rule, rate, call.currency)
  await keepOthers(call, before, counted.entries)
  return timesheets.update(call, sheet, { ...changes, ...counted.totals, overtimeRule: rule })
}

async function ruleOf(call: WriteCall): Promise<OvertimeRule> {
  return (await timesheets.weeksOf(call)).overtimeRule
}

/** Stores the recounted values of the entries that were not changed themselves. */
async function keepOthers(
  call: WriteCall,
  before: readonly TimeEntry[],
  counted: readonly Counted[],
  except?: string,
): Promise<void> {
  const changed = before.flatMap((entry, i) => {
    const { overtimeHours, cost } = counted[i] ?? entry
    const isSame = overtimeHours === entry.overtimeHours && cost === entry.cost
    return isSame || entry.id === except ? [] : [{ before: entry, after: { ...entry, overtimeHours, cost } }]
  })
  await entries.updateAll(call, changed)
}

/** Throws if the time is outside the week, exceeds the hours of a day, or overlaps other time of the user. */
async function assertFits(call: WriteCall, sheet: Timesheet, times: Times, except: string | null): Promise<void> {
  const { userId } = sheet
  assertInWeek(times, sheet)
  if (times.hours !== null) assertInDay(times, await entries.hoursOn(call, { userId, date: times.date, except }))
  if (times.startedAt === null) return
  const now = call.now.toISOString()
  const { startedAt } = times
  // A user who is clocked in has worked until now.
  const endedAt = times.endedAt ?? now
  const other = await entries.overlapping(call, { userId, startedAt, endedAt, now, except })
  if (other === undefined) return
  const from = formatTimestamp(other.startedAt, call.timeZone)
  const until =
    other.endedAt === null ? 'and is still clocked in' : `until ${formatTimestamp(other.endedAt, call.timeZone)}`
  throw conflict('period_taken', `The user already has time from ${from} ${until}.`)
}

function given<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}
