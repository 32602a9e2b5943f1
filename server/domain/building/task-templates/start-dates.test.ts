import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays } from '../../../platform/values/calendar.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { compareLots, computeStartDates } from './start-dates.ts'

const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: ['2027-01-18'] })

test('start dates are spread evenly over workdays and skip holidays', () => {
  const two = { first: '2027-01-11', perWeek: 2, workdaysPerWeek: 5 }
  expect(computeStartDates(calendar, two, 6)).toEqual([
    ...['2027-01-11', '2027-01-13', '2027-01-19', '2027-01-21', '2027-01-26', '2027-01-28'],
  ])
  const seven = { first: '2027-01-09', perWeek: 7, workdaysPerWeek: 5 }
  expect(computeStartDates(calendar, seven, 4)).toEqual(['2027-01-11', '2027-01-11', '2027-01-12', '2027-01-13'])
})

test('no calendar week has more starts than the maximum', () => {
  const day = fc.integer({ min: 0, max: 90 }).map((days) => addDays('2027-01-04', days))
  const workdays = fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 })
  const mondayOf = (date: string) => {
    const weekday = (new Date(date).getUTCDay() + 6) % 7
    return addDays(date, -weekday)
  }
  fc.assert(
    fc.property(workdays, fc.array(day), day, fc.integer({ min: 1, max: 20 }), (workdays, holidays, first, perWeek) => {
      const calendar = createWorkCalendar({ workdays, holidays })
      const dates = computeStartDates(calendar, { first, perWeek, workdaysPerWeek: workdays.length }, 40)
      for (const date of dates) expect(calendar.isWorkday(date)).toBe(true)
      for (const ofWeek of Map.groupBy(dates, mondayOf).values()) expect(ofWeek.length).toBeLessThanOrEqual(perWeek)
    }),
  )
})

test('lots are sorted by block and then by number', () => {
  const lots = [...['B 2', 'A 10', 'A 9', 'A 9A'].map((lot) => lot.split(' ')), ['A', null]].map(
    ([block = null, lotNumber = null]) => ({ id: `${block}${lotNumber}`, name: 'Home', block, lotNumber }),
  )
  expect(lots.sort(compareLots).map(({ id }) => id)).toEqual(['A9', 'A9A', 'A10', 'Anull', 'B2'])
})
