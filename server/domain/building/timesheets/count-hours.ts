import Big from 'big.js'
import type { OvertimeRule, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import { roundMoney } from '../../../platform/values/money.ts'

/**
 * Computes the hours and costs of a week. All arithmetic is decimal and starts from the entries' hours and rates, so
 * that recounting a week always has the same result.
 */

/** The fields of an entry that its pay depends on. */
export type WorkedEntry = Pick<TimeEntry, 'date' | 'startedAt' | 'hours' | 'payType' | 'rate'>
export type CountedEntry = Pick<TimeEntry, 'overtimeHours' | 'cost'>
export type WeekTotals = Pick<
  Timesheet,
  'totalHours' | 'regularHours' | 'overtimeHours' | 'doubleHours' | 'ptoHours'
> & {
  cost: number
}

export interface CountedWeek {
  /** In the order of the given entries. */
  readonly entries: readonly CountedEntry[]
  readonly totals: WeekTotals
}

const DOUBLE_RATE = 2
const HOUR_MS = 3_600_000

/** Returns the hours that passed from one time to the other, less the breaks; negative if the breaks are longer. */
export function hoursBetween(startedAt: string, endedAt: string, breakMinutes: number): number {
  return new Big(Date.parse(endedAt) - Date.parse(startedAt))
    .minus(breakMinutes * 60_000)
    .div(HOUR_MS)
    .round(4, Big.roundHalfUp)
    .toNumber()
}

/**
 * Splits the hours of a week into regular hours and overtime, in the order of work, and computes their cost. Within a
 * day, entries with times come before those with only hours, which keep the order in which they were added. An hour is
 * overtime once, by its day or by its week: hours beyond the daily threshold do not count toward the week.
 */
export function countWeek(
  entries: readonly WorkedEntry[],
  rule: OvertimeRule,
  rate: number | null,
  currency: string,
): CountedWeek {
  const counted = entries.map((): CountedEntry => ({ overtimeHours: 0, cost: null }))
  const sums = { regular: new Big(0), overtime: new Big(0), double: new Big(0), pto: new Big(0), cost: new Big(0) }
  const regularOfDay = new Map<string, Big>()
  for (const { entry, i } of sortByTime(entries)) {
    const hours = new Big(entry.hours ?? 0)
    const ofDay = regularOfDay.get(entry.date) ?? new Big(0)
    const parts = { regular: new Big(0), overtime: new Big(0), double: new Big(0), pto: new Big(0) }
    parts[entry.payType] = hours
    if (entry.payType === 'regular') {
      const ofRule = hoursBelowThreshold(rule.dailyAfterHours, ofDay, hours)
      parts.regular = hoursBelowThreshold(rule.weeklyAfterHours, sums.regular, ofRule)
      parts.overtime = hours.minus(parts.regular)
      regularOfDay.set(entry.date, ofDay.plus(parts.regular))
    }
    const own = entry.rate ?? rate
    const paidHours = parts.regular
      .plus(parts.pto)
      .plus(parts.overtime.times(rule.multiplier))
      .plus(parts.double.times(DOUBLE_RATE))
    const cost = own === null || entry.hours === null ? null : new Big(roundMoney(paidHours.times(own), currency))
    counted[i] = { overtimeHours: parts.overtime.toNumber(), cost: cost?.toNumber() ?? null }
    sums.regular = sums.regular.plus(parts.regular)
    sums.overtime = sums.overtime.plus(parts.overtime)
    sums.double = sums.double.plus(parts.double)
    sums.pto = sums.pto.plus(parts.pto)
    sums.cost = sums.cost.plus(cost ?? 0)
  }
  const { regular, overtime, double, pto, cost } = sums
  const totals = {
    totalHours: regular.plus(overtime).plus(double).plus(pto).toNumber(),
    regularHours: regular.toNumber(),
    overtimeHours: overtime.toNumber(),
    doubleHours: double.toNumber(),
    ptoHours: pto.toNumber(),
    cost: cost.toNumber(),
  }
  return { entries: counted, totals }
}

/** Returns how many of the hours fit below the threshold, given the hours already worked; all without a threshold. */
function hoursBelowThreshold(threshold: number | null, worked: Big, hours: Big): Big {
  const left = threshold === null ? hours : new Big(threshold).minus(worked)
  if (left.lt(0)) return new Big(0)
  return left.lt(hours) ? left : hours
}

function sortByTime(entries: readonly WorkedEntry[]): { entry: WorkedEntry; i: number }[] {
  // Sorts after every time.
  const place = ({ date, startedAt }: WorkedEntry) => `${date} ${startedAt ?? '~'}`
  return entries
    .map((entry, i) => ({ entry, i, at: place(entry) }))
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.i - other.i))
}
