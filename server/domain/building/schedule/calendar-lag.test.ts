import { expect, test } from 'vitest'
import { SeededRandom } from '../../../../scripts/conformance/random.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { createCalendarShift } from './calendar-lag.ts'
import { createDayNumbers } from './day-numbers.ts'
import { type SchedulableTask, scheduleTasks } from './schedule-tasks.ts'

// Thursday and Friday are holidays.
const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: ['2026-11-26', '2026-11-27'] })

function task(id: string, fields: Partial<SchedulableTask> = {}): SchedulableTask {
  return {
    ...{ id, status: 'not_started', durationDays: 1, constraint: { type: 'none', date: null } },
    ...{ workdayOverride: false, startDelayDays: 0, predecessors: [] },
    ...{ plannedStart: '2026-11-20', plannedEnd: '2026-11-20', actualStart: null, actualEnd: null },
    ...fields,
  }
}

const link = (taskId: string, type: 'FS' | 'SS' | 'FF' | 'SF', lagDays: number) => ({
  predecessors: [{ taskId, type, lagDays, lagUnit: 'calendar_days' as const }],
})

/** Returns the planned dates of the last task. */
function lastSpan(...tasks: readonly SchedulableTask[]): string {
  const outcome = scheduleTasks(tasks, calendar)
  if (!('placed' in outcome)) throw new Error(JSON.stringify(outcome))
  const dates = outcome.placed.at(-1)?.dates
  return `${dates?.plannedStart} ${dates?.plannedEnd}`
}

test('a lag in calendar days counts weekends and holidays', () => {
  // The slab is poured on a Friday and cures for seven days, through Friday, November 27.
  expect(lastSpan(task('slab'), task('walls', link('slab', 'FS', 7)))).toBe('2026-11-30 2026-11-30')
  expect(lastSpan(task('slab'), task('walls', link('slab', 'FS', 3)))).toBe('2026-11-24 2026-11-24')
  expect(lastSpan(task('slab'), task('walls', link('slab', 'FS', 0)))).toBe('2026-11-23 2026-11-23')
  expect(lastSpan(task('slab'), task('walls', link('slab', 'SS', 3)))).toBe('2026-11-23 2026-11-23')
  expect(lastSpan(task('slab'), task('walls', link('slab', 'FF', 4)))).toBe('2026-11-24 2026-11-24')
  expect(lastSpan(task('slab'), task('cured', { durationDays: 0, ...link('slab', 'FS', 5) }))).toBe(
    '2026-11-25 2026-11-25',
  )
})

test('a lag in calendar days counts from the actual end of a task, even on a day off', () => {
  const done = { status: 'completed' as const, actualStart: '2026-11-20', actualEnd: '2026-11-28' }
  expect(lastSpan(task('slab', done), task('walls', link('slab', 'FS', 3)))).toBe('2026-12-02 2026-12-02')
})

test('a lag in calendar days counts from a Saturday on which work is scheduled', () => {
  const saturday = { workdayOverride: true, constraint: { type: 'must_start_on' as const, date: '2026-11-21' } }
  expect(lastSpan(task('slab', saturday), task('walls', link('slab', 'FS', 2)))).toBe('2026-11-24 2026-11-24')
})

test('successors of a skipped task inherit lags in workdays and in calendar days', () => {
  const fence = task('fence', { status: 'skipped', ...link('slab', 'FS', 3) })
  const paint = task('paint', { predecessors: [{ taskId: 'fence', type: 'FS', lagDays: 1, lagUnit: 'workdays' }] })
  expect(lastSpan(task('slab'), fence, paint)).toBe('2026-11-25 2026-11-25')
})

test('the late finish of a predecessor is the latest workday that leaves enough time for the lag', () => {
  const random = new SeededRandom(11)
  const days = createDayNumbers(calendar)
  for (let i = 0; i < 2000; i++) {
    const type = random.pick(['FS', 'SS', 'FF', 'SF'] as const)
    const isPoint = random.chance(0.3)
    const predecessor = { isPoint, isAtDayEnd: isPoint && random.chance(0.5), startDate: null, endDate: null }
    const { forward, backward } = createCalendarShift(type, random.between(-10, 20), predecessor, days)
    const reach = (point: number) => forward({ start: point, finish: point, driver: { from: 0, type: 'FS', lag: 0 } })
    const point = days.of(addDays('2026-11-20', random.between(-30, 30)))
    const latest = backward(point)
    expect(reach(latest)).toBeLessThanOrEqual(point)
    expect(reach(latest + 1)).toBeGreaterThan(point)
  }
})
