import Big from 'big.js'
import type { OvertimeRule, TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import { roundMoney } from '../../../platform/values/money.ts'

/**
 * Computes the hours and costs of a week. All calculations are decimal and start from the times and rates of the
 * entries, so that counting a week again always returns the same result. Times are summed in milliseconds and rounded
 * once, so that thirty times 80 minutes are exactly 40 hours.
 */

/** The fields of an entry that determine its pay. */
export type WorkedEntry = Pick<TimeEntry, 'date' | 'startedAt' | 'hours' | 'payType' | 'rate'> &
  Partial<Pick<TimeEntry, 'endedAt' | 'breakMinutes'>>
export type CountedEntry = Pick<TimeEntry, 'overtimeHours' | 'cost'>
export type WeekTotals = Pick<
  Timesheet,
  'totalHours' | 'regularHours' | 'overtimeHours' | 'doubleHours' | 'ptoHours'
> & {
  cost: number
}

export interface CountedWeek {
  /** The results, in the order of the given entries. */
  readonly entries: readonly CountedEntry[]
  readonly totals: WeekTotals
}

const DOUBLE_RATE = 2
const HOUR_MS = 3_600_000

/** Returns the hours between the two times, minus the breaks. Negative if the breaks are longer. */
export function countHoursBetween(startedAt: string, endedAt: string, breakMinutes: number): number {
  return toHours(millisecondsBetween(startedAt, endedAt, breakMinutes))
}

function millisecondsBetween(startedAt: string, endedAt: string, breakMinutes: number): Big {
  return new Big(Date.parse(endedAt) - Date.parse(startedAt)).minus(breakMinutes * 60_000)
}

function toHours(milliseconds: Big): number {
  return milliseconds.div(HOUR_MS).round(4, Big.roundHalfUp).toNumber()
}

/**
 * Returns the exact duration of an entry. If a user entered hours, returns these hours. The `hours` of all other
 * entries are rounded.
 */
function findWorkedTime({ startedAt, endedAt, breakMinutes, hours }: WorkedEntry): Big {
  if (startedAt === null || endedAt == null || hours === null) return new Big(hours ?? 0).times(HOUR_MS)
  return millisecondsBetween(startedAt, endedAt, breakMinutes ?? 0)
}

/**
 * Computes the cost of each entry. For each rate, the costs of all entries add up to the rate times the paid hours,
 * rounded once. To achieve this, the cost of an entry is the amount that it adds to the rounded total. This cost can
 * differ by one minor unit from the entry's own rounded cost.
 */
class RoundedCosts {
  readonly #paidByRate = new Map<number, Big>()
  readonly #currency: string

  constructor(currency: string) {
    this.#currency = currency
  }

  add(rate: number, paid: Big): Big {
    const before = this.#paidByRate.get(rate) ?? new Big(0)
    const after = before.plus(paid)
    this.#paidByRate.set(rate, after)
    const costOf = (time: Big) => roundMoney(time.times(rate).div(HOUR_MS), this.#currency)
    return new Big(costOf(after)).minus(costOf(before))
  }
}

/**
 * Splits the hours of a week into regular hours and overtime, in the order of work, and computes the cost of each
 * entry. Within a day, entries with times precede entries with only hours. Entries with only hours keep the order in
 * which they were added. Each hour counts as overtime only once: hours beyond the daily threshold do not count toward
 * the weekly threshold.
 */
export function countWeekHours(
  entries: readonly WorkedEntry[],
  rule: OvertimeRule,
  rate: number | null,
  currency: string,
): CountedWeek {
  const counted = entries.map((): CountedEntry => ({ overtimeHours: 0, cost: null }))
  const sums = { regular: new Big(0), overtime: new Big(0), double: new Big(0), pto: new Big(0), cost: new Big(0) }
  const regularOfDay = new Map<string, Big>()
  const costs = new RoundedCosts(currency)
  for (const { entry, i } of sortByTime(entries)) {
    const hours = findWorkedTime(entry)
    const ofDay = regularOfDay.get(entry.date) ?? new Big(0)
    const parts = { regular: new Big(0), overtime: new Big(0), double: new Big(0), pto: new Big(0) }
    parts[entry.payType] = hours
    if (entry.payType === 'regular') {
      const ofRule = findTimeBelow(rule.dailyAfterHours, ofDay, hours)
      parts.regular = findTimeBelow(rule.weeklyAfterHours, sums.regular, ofRule)
      parts.overtime = hours.minus(parts.regular)
      regularOfDay.set(entry.date, ofDay.plus(parts.regular))
    }
    const own = entry.rate ?? rate
    const paidTime = parts.regular
      .plus(parts.pto)
      .plus(parts.overtime.times(rule.multiplier))
      .plus(parts.double.times(DOUBLE_RATE))
    const cost = own === null || entry.hours === null ? null : costs.add(own, paidTime)
    counted[i] = { overtimeHours: toHours(parts.overtime), cost: cost?.toNumber() ?? null }
    sums.regular = sums.regular.plus(parts.regular)
    sums.overtime = sums.overtime.plus(parts.overtime)
    sums.double = sums.double.plus(parts.double)
    sums.pto = sums.pto.plus(parts.pto)
    sums.cost = sums.cost.plus(cost ?? 0)
  }
  const { regular, overtime, double, pto, cost } = sums
  const totals = {
    totalHours: toHours(regular.plus(overtime).plus(double).plus(pto)),
    regularHours: toHours(regular),
    overtimeHours: toHours(overtime),
    doubleHours: toHours(double),
    ptoHours: toHours(pto),
    cost: cost.toNumber(),
  }
  return { entries: counted, totals }
}

/**
 * Returns the part of `hours` that is below the threshold, given the time that was already worked. Without a threshold,
 * returns `hours`.
 */
function findTimeBelow(threshold: number | null, worked: Big, hours: Big): Big {
  const left = threshold === null ? hours : new Big(threshold).times(HOUR_MS).minus(worked)
  if (left.lt(0)) return new Big(0)
  return left.lt(hours) ? left : hours
}

function sortByTime(entries: readonly WorkedEntry[]): { entry: WorkedEntry; i: number }[] {
  // The character `~` sorts after every time, so entries without times are last.
  const place = ({ date, startedAt }: WorkedEntry) => `${date} ${startedAt ?? '~'}`
  return entries
    .map((entry, i) => ({ entry, i, at: place(entry) }))
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : one.i - other.i))
}
