import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays } from './calendar.ts'
import { createWorkCalendar } from './workdays.ts'

const usual = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: ['2026-11-26', '2026-11-27', '2026-12-25'] })

describe('workdays', () => {
  test('workdays exclude weekends and holidays', () => {
    expect(usual.isWorkday('2026-11-25')).toBe(true)
    expect(usual.isWorkday('2026-11-26')).toBe(false)
    expect(usual.isWorkday('2026-11-28')).toBe(false)
    expect(usual.onOrAfter('2026-11-26')).toBe('2026-11-30')
    expect(usual.onOrBefore('2026-11-29')).toBe('2026-11-25')
    expect(usual.add('2026-11-25', 1)).toBe('2026-11-30')
    expect(usual.add('2026-11-30', -1)).toBe('2026-11-25')
    expect(usual.add('2026-11-28', 0)).toBe('2026-11-30')
    expect(usual.between('2026-11-25', '2026-12-01')).toBe(2)
    expect(usual.between('2026-12-01', '2026-11-25')).toBe(-2)
  })

  test('for random weeks and holidays, computed workdays equal a day-by-day count', () => {
    const anyDate = fc.integer({ min: -20_000, max: 20_000 }).map((days) => addDays('2026-01-01', days))
    const offsets = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 })
    const anyWeek = fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1 })
    const property = fc.property(anyWeek, anyDate, offsets, (workdays, start, off) => {
      const holidays = off.map((days) => addDays(start, days))
      const calendar = createWorkCalendar({ workdays, holidays })
      const isWorkday = (date: string) => workdays.includes(new Date(date).getUTCDay() || 7) && !holidays.includes(date)
      let day = start
      while (!isWorkday(day)) day = addDays(day, 1)
      expect(calendar.onOrAfter(start)).toBe(day)
      for (let count = 0; count < 40; count++) {
        expect(calendar.add(start, count)).toBe(day)
        expect(calendar.between(start, day)).toBe(count)
        expect(calendar.isWorkday(day)).toBe(true)
        const before = day
        do day = addDays(day, 1)
        while (!isWorkday(day))
        expect(calendar.add(day, -1)).toBe(before)
        expect(calendar.onOrBefore(addDays(day, -1))).toBe(before)
      }
    })
    fc.assert(property, { numRuns: 300 })
  })
})
