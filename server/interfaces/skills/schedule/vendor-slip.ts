import { sql } from 'kysely'
import type { Call } from '../../../platform/calls/call.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import type { WorkCalendar } from '../../../platform/values/workdays.ts'

/** Compares the actual durations of a vendor's tasks with their planned durations. */
export interface VendorSlip {
  tasksMeasured: number
  usualFactor: number
  slowFactor: number
}

export const NO_SLIP: VendorSlip = { tasksMeasured: 0, usualFactor: 1, slowFactor: 1 }

/** The maximum number of tasks to measure. If there are more, only the newest are measured. */
const MAX_TASKS = 2000
/** The minimum number of tasks. A mean of fewer tasks is meaningless. */
const MIN_TASKS = 3
/** The limits for a factor. Factors beyond them occur when the start or the end of a task was reported late. */
const FACTOR_BOUNDS = { least: 0.5, most: 3 }

interface CompletedTask {
  vendorId: string
  actualStart: string
  actualEnd: string
  durationDays: number
}

/** Returns the slip of each vendor in the year before `today`. Leaves out vendors with too few completed tasks. */
export async function findVendorSlips(
  { db, organizationId }: Call,
  vendorIds: readonly string[],
  calendar: WorkCalendar,
  today: string,
): Promise<Map<string, VendorSlip>> {
  const { rows } = await sql<CompletedTask>`
    select "vendorId", "actualStart", "actualEnd", "durationDays" from "tasks"
    where "organizationId" = ${organizationId} and "vendorId" = any(${[...vendorIds]}::text[])
      and "plannedStart" >= ${addDays(today, -365)}::date and "status" = 'completed' and "durationDays" > 0
      and "actualStart" is not null and "actualEnd" is not null
    order by "plannedStart" desc, "id" limit ${MAX_TASKS}`.execute(db)
  const byVendor = Map.groupBy(rows, ({ vendorId }) => vendorId)
  const slips = [...byVendor].flatMap(([vendorId, tasks]) => {
    if (tasks.length < MIN_TASKS) return []
    const taken = tasks.map((task) => calendar.between(task.actualStart, addDays(task.actualEnd, 1)))
    const planned = tasks.map(({ durationDays }) => durationDays)
    const factors = taken.map((days, i) => days / (planned[i] ?? 1)).sort((a, b) => a - b)
    const slowest = factors[Math.ceil(factors.length * 0.9) - 1] ?? 1
    const defaults = sumDays(taken) / sumDays(planned)
    return [
      [
        vendorId,
        {
          tasksMeasured: tasks.length,
          usualFactor: clampFactor(defaults),
          slowFactor: clampFactor(Math.max(slowest, defaults)),
        },
      ] as const,
    ]
  })
  return new Map(slips)
}

function sumDays(days: readonly number[]): number {
  return days.reduce((sum, each) => sum + each, 0)
}

function clampFactor(factor: number): number {
  return Math.round(Math.min(Math.max(factor, FACTOR_BOUNDS.least), FACTOR_BOUNDS.most) * 100) / 100
}
