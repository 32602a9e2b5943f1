import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OvertimeRule } from '../../../../client/contract.gen.ts'
import { countHoursBetween, countWeekHours, type WorkedEntry } from './count-hours.ts'

const USUAL: OvertimeRule = { weeklyAfterHours: 40, dailyAfterHours: null, multiplier: 1.5 }

const day = (n: number) => `2026-11-${15 + n}`
function work(n: number, hours: number, rest: Partial<WorkedEntry> = {}): WorkedEntry {
  return { date: day(n), startedAt: null, hours, payType: 'regular', rate: null, ...rest }
}

describe('elapsed hours', () => {
  test('hours between two times are the hours that passed, regardless of clock changes', () => {
    // In Chicago, clocks change from 2:00 to 3:00 a.m. on March 8, and from 2:00 back to 1:00 a.m. on November 1.
    expect(countHoursBetween('2026-03-08T04:00:00.000Z', '2026-03-08T12:00:00.000Z', 0)).toBe(8)
    expect(countHoursBetween('2026-11-01T03:00:00.000Z', '2026-11-01T12:00:00.000Z', 30)).toBe(8.5)
  })

  test('hours between two times are rounded half up to four decimals', () => {
    expect(countHoursBetween('2026-11-16T13:00:00.000Z', '2026-11-16T13:20:00.000Z', 0)).toBe(0.3333)
    expect(countHoursBetween('2026-11-16T13:00:00.000Z', '2026-11-16T13:40:00.000Z', 0)).toBe(0.6667)
    expect(countHoursBetween('2026-11-16T13:00:00.000Z', '2026-11-16T13:00:00.180Z', 0)).toBe(0.0001)
  })
})

describe('hours and cost of a week', () => {
  test('the last hours of a week that exceed the weekly threshold are overtime', () => {
    const entries = [work(5, 8), work(1, 10), work(2, 10), work(3, 10), work(4, 9)]
    const { entries: counted, totals } = countWeekHours(entries, USUAL, 30, 'USD')
    expect(counted.map(({ overtimeHours }) => overtimeHours)).toEqual([7, 0, 0, 0, 0])
    expect(counted[0]?.cost).toBe(30 * 1 + 30 * 1.5 * 7)
    expect(totals).toMatchObject({ totalHours: 47, regularHours: 40, overtimeHours: 7, cost: 30 * 40 + 45 * 7 })
  })

  test('only hours above the weekly threshold are overtime', () => {
    const at = countWeekHours(
      [1, 2, 3, 4, 5].map((n) => work(n, 8)),
      USUAL,
      null,
      'USD',
    )
    expect(at.totals.overtimeHours).toBe(0)
    const beyond = countWeekHours(
      [1, 2, 3, 4, 5].map((n) => work(n, n === 5 ? 8.01 : 8)),
      USUAL,
      null,
      'USD',
    )
    expect(beyond.totals).toMatchObject({ regularHours: 40, overtimeHours: 0.01 })
  })

  test('an hour that exceeds both the daily and the weekly threshold counts as overtime once', () => {
    const rule = { ...USUAL, dailyAfterHours: 8 }
    const { entries, totals } = countWeekHours(
      [1, 2, 3, 4, 5, 6].map((n) => work(n, 10)),
      rule,
      null,
      'USD',
    )
    expect(entries.map(({ overtimeHours }) => overtimeHours)).toEqual([2, 2, 2, 2, 2, 10])
    expect(totals).toMatchObject({ regularHours: 40, overtimeHours: 20 })
  })

  test('only regular hours count toward the overtime thresholds', () => {
    const paid = (payType: WorkedEntry['payType']) => ({ payType })
    const entries = [work(1, 8, paid('pto')), work(2, 8, paid('overtime')), work(3, 8, paid('double'))]
    const { entries: counted, totals } = countWeekHours(
      [...entries, ...[4, 5, 6].map((n) => work(n, 13))],
      USUAL,
      20,
      'USD',
    )
    expect(totals).toEqual({
      ...{ totalHours: 63, regularHours: 39, overtimeHours: 8, doubleHours: 8, ptoHours: 8 },
      cost: 20 * (8 + 8 * 1.5 + 8 * 2 + 39),
    })
    expect(counted.map(({ cost }) => cost)).toEqual([160, 240, 320, 260, 260, 260])
  })

  test('the rate of an entry overrides the rate of its timesheet', () => {
    const entries = [work(1, 0.3333, { rate: 30 }), work(2, 1), work(3, 1, { rate: 0.005 })]
    expect(countWeekHours(entries, USUAL, null, 'USD').entries.map(({ cost }) => cost)).toEqual([10, null, 0.01])
    expect(countWeekHours(entries, USUAL, 10, 'USD').totals.cost).toBe(20.01)
  })

  test('a week without overtime thresholds has no overtime', () => {
    const rule = { weeklyAfterHours: null, dailyAfterHours: null, multiplier: 1.5 }
    expect(
      countWeekHours(
        [1, 2, 3, 4, 5, 6, 7].map((n) => work(n, 24)),
        rule,
        null,
        'USD',
      ).totals.overtimeHours,
    ).toBe(0)
  })

  test('the overtime of a random week equals a simple count in steps of 0.01 hours', () => {
    const anyEntry = fc.record({
      date: fc.integer({ min: 1, max: 7 }).map(day),
      startedAt: fc.option(fc.integer({ min: 0, max: 1439 }).map((minute) => String(minute).padStart(4, '0'))),
      hundredths: fc.integer({ min: 0, max: 1400 }),
      payType: fc.constantFrom<WorkedEntry['payType']>('regular', 'regular', 'regular', 'overtime', 'double', 'pto'),
    })
    const anyThreshold = (max: number) => fc.option(fc.integer({ min: 0, max: max }))
    const property = fc.property(
      fc.array(anyEntry, { maxLength: 12 }),
      anyThreshold(60),
      anyThreshold(12),
      (provided, weeklyAfterHours, dailyAfterHours) => {
        const rule = { weeklyAfterHours, dailyAfterHours, multiplier: 1.5 }
        const entries = provided.map(({ hundredths, ...entry }) => ({ ...entry, hours: hundredths / 100, rate: null }))
        const { entries: counted, totals } = countWeekHours(entries, rule, null, 'USD')
        const expected = slowOvertime(provided, rule)
        expect(counted.map(({ overtimeHours }) => Math.round(overtimeHours * 100))).toEqual(expected)
        const { regularHours, overtimeHours, doubleHours, ptoHours, totalHours } = totals
        expect(Math.round(100 * (regularHours + overtimeHours + doubleHours + ptoHours))).toBe(
          Math.round(totalHours * 100),
        )
      },
    )
    fc.assert(property, { numRuns: 200 })
  })
})

type Hundredths = Omit<WorkedEntry, 'hours' | 'rate'> & { hundredths: number }

/** Returns the overtime of each entry in hundredths of an hour, computed by counting every hundredth. */
function slowOvertime(entries: readonly Hundredths[], { weeklyAfterHours, dailyAfterHours }: OvertimeRule): number[] {
  const overtime = entries.map(({ payType, hundredths }) => (payType === 'overtime' ? hundredths : 0))
  const ofDay = new Map<string, number>()
  let ofWeek = 0
  for (const date of [1, 2, 3, 4, 5, 6, 7].map(day)) {
    const ofDate = entries.map((entry, i) => ({ ...entry, i })).filter((entry) => entry.date === date)
    const timed = ofDate.filter(({ startedAt }) => startedAt !== null)
    timed.sort((a, b) => Number(a.startedAt) - Number(b.startedAt))
    for (const entry of [...timed, ...ofDate.filter(({ startedAt }) => startedAt === null)]) {
      if (entry.payType !== 'regular') continue
      for (let n = 0; n < entry.hundredths; n++) {
        const today = ofDay.get(date) ?? 0
        const isOver = [
          [weeklyAfterHours, ofWeek],
          [dailyAfterHours, today],
        ].some(([threshold, worked]) => threshold != null && Number(worked) >= threshold * 100)
        if (isOver) overtime[entry.i] = (overtime[entry.i] ?? 0) + 1
        else {
          ofWeek++
          ofDay.set(date, today + 1)
        }
      }
    }
  }
  return overtime
}
