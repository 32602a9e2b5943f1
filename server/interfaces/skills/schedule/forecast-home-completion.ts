import type {
  ForecastHomeCompletionInput,
  ForecastHomeCompletionResult,
  Task,
} from '../../../../client/contract.gen.ts'
import { findLastDay, scheduleTasks } from '../../../domain/building/schedule/schedule-tasks.ts'
import { readSchedule, type Schedule } from '../../../domain/building/tasks/cascade.ts'
import * as vendors from '../../../domain/vendors/vendors/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'
import { findVendorSlips, NO_SLIP, type VendorSlip } from './vendor-slip.ts'

/**
 * Forecasts completion with the critical path method and expected durations. The expected duration of an open task is
 * its planned duration times the vendor's factor, which is the actual duration of the vendor's completed tasks divided
 * by their planned duration. A task that should already have started begins today at the earliest.
 */
export async function forecastHomeCompletion(
  { homeId }: ForecastHomeCompletionInput,
  call: Call,
): Promise<ForecastHomeCompletionResult> {
  const [{ home }, schedule] = await Promise.all([findHomeOverview(call, homeId), readSchedule(call, { homeId })])
  const { tasks, calendar, today } = schedule
  const open = tasks.filter(({ status }) => status !== 'completed' && status !== 'skipped')
  const vendorIds = [...new Set(open.flatMap(({ vendorId }) => (vendorId === null ? [] : [vendorId])))]
  const [slips, named] = await Promise.all([
    findVendorSlips(call, vendorIds, calendar, today),
    vendors.findAll(call, vendorIds),
  ])
  const plannedEnd = findLastDay(tasks)
  const expectedEnd = projectSchedule(schedule, slips, ({ usualFactor }) => usualFactor)
  const baselineEnd = tasks.reduce<string | null>((last, task) => maxDate(last, task.baselineEnd), null)
  const target = baselineEnd ?? plannedEnd
  const rows = named.map(({ id, companyName }) => ({
    vendorId: id,
    vendor: companyName,
    ...(slips.get(id) ?? NO_SLIP),
  }))
  rows.sort((a, b) => b.usualFactor - a.usualFactor || (a.vendor < b.vendor ? -1 : 1))
  return {
    ...{ homeId, home, plannedEnd, expectedEnd, baselineEnd, openTasks: open.length, vendors: rows.slice(0, 200) },
    latestEnd: projectSchedule(schedule, slips, ({ slowFactor }) => slowFactor),
    workdaysLate: target === null || expectedEnd === null ? null : calendar.between(target, expectedEnd),
    ...createReportFooter(call, {
      truncated: rows.length > 200,
      unknown: selectSentences(
        tasks.length === 0 && 'The home has no schedule.',
        slips.size < vendorIds.length &&
          'Vendors with fewer than three completed tasks in the last year are assumed to be on time.',
        open.some(({ vendorId }) => vendorId === null) && 'Open tasks without a vendor are assumed to be on time.',
        'Weather and failed inspections are considered only as far as they affected past task durations.',
      ),
    }),
  }
}

/** Ignores the remaining days that were reported, because the expected duration replaces them. */
const NO_REPORT = { remainingDays: null, remainingAsOf: null }

function projectSchedule(
  { tasks, calendar, today, dataDate }: Schedule,
  slips: ReadonlyMap<string, VendorSlip>,
  factorOf: (slip: VendorSlip) => number,
) {
  const slowed = tasks.map((task): Task => {
    const factor = factorOf((task.vendorId === null ? undefined : slips.get(task.vendorId)) ?? NO_SLIP)
    const { status, durationDays, percentComplete, actualStart, constraint } = task
    if (status === 'completed' || status === 'skipped') return task
    if (actualStart !== null) {
      const left = Math.ceil((durationDays * factor * (100 - percentComplete)) / 100)
      const passed = Math.max(calendar.between(actualStart, today), 0)
      return { ...task, durationDays: durationDays === 0 ? 0 : Math.max(passed + left, 1), ...NO_REPORT }
    }
    const isFree =
      constraint.type === 'none' || (constraint.type === 'start_no_earlier_than' && (constraint.date ?? '') < today)
    const earliest = { type: 'start_no_earlier_than' as const, date: today }
    return { ...task, durationDays: Math.ceil(durationDays * factor), ...(isFree && { constraint: earliest }) }
  })
  const outcome = scheduleTasks(slowed, calendar, dataDate)
  return 'placed' in outcome ? findLastDay(outcome.placed.map(({ dates }) => dates)) : null
}

function maxDate(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && other > one) ? other : one
}
