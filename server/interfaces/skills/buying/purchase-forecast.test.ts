import { afterAll, beforeAll, expect, test } from 'vitest'
import { Desk } from '../../../../test/support/desk.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.open()
})
afterAll(() => desk.plumbline.stop())

test('purchaseForecast counts the lead time in the workdays of each community, without holidays', async () => {
  const vendorId = (await desk.post('/vendors', { companyName: 'Brazos Lumber', scopes: ['framing'] })).id
  const partId = (
    await desk.post('/parts', { sku: 'STUD', name: 'stud', unit: 'EA', scope: 'framing', leadTimeDays: 5 })
  ).id
  await desk.post(`/parts/${partId}/prices`, { vendorId, unitPrice: 3, effectiveDate: '2020-01-01' })
  const plan = (await desk.post('/plans', { name: 'Cedar', code: 'CEDAR', basePrice: 300_000 })).id
  await desk.put(`/plans/${plan}/takeoff`, { lines: [{ lineId: 'studs', partId, quantity: 100 }] })
  await desk.post(`/plans/${plan}/status`, { status: 'released' })
  const weekdays = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: [] })
  // A Monday after two weeks that each have a holiday on Friday, as around New Year.
  const monday = [...Array(7).keys()].map((day) => desk.day(21 + day)).find((day) => new Date(day).getUTCDay() === 1)
  const needed = weekdays.onOrAfter(monday ?? '')
  const holidays = [addDays(needed, -10), addDays(needed, -3)]
  const home = async (code: string, more: object) => {
    const { id: communityId } = await desk.post('/communities', { name: code, code, status: 'active', ...more })
    const { id: homeId } = await desk.post('/homes', { name: `Lot of ${code}`, communityId, planId: plan })
    await desk.post(`/homes/${homeId}/budget/estimate`)
    await desk.post('/tasks', { homeId, name: 'Walls framed', scope: 'framing', plannedStart: needed })
  }
  const orderBy = async () => {
    const { parts } = await desk.run('purchaseForecast', { weeks: 8 })
    return parts.map((part: { homes: number; orderBy: string }) => [part.homes, part.orderBy])
  }
  await home('SIX', { workdays: [1, 2, 3, 4, 5, 6] })
  expect(await orderBy()).toEqual([[1, addDays(needed, -6)]])
  await home('HOLY', { holidays })
  expect(await orderBy()).toEqual([[2, addDays(needed, -11)]])
})
