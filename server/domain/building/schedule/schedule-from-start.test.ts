import { expect, test } from 'vitest'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { scheduleFromStart } from './schedule-from-start.ts'
import type { SchedulableTask } from './schedule-tasks.ts'

const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: ['2026-11-26', '2026-11-27'] })

function task(
  id: string,
  durationDays: number,
  ...links: [taskId: string, type: 'FS' | 'SS' | 'FF', lagDays: number][]
) {
  const fields: SchedulableTask = {
    ...{ id, status: 'not_started', durationDays, constraint: { type: 'none', date: null }, startDelayDays: 0 },
    workdayOverride: false,
    ...{ plannedStart: '2020-01-01', plannedEnd: '2020-01-01', actualStart: null, actualEnd: null },
    predecessors: links.map(([taskId, type, lagDays]) => ({ taskId, type, lagDays })),
  }
  return fields
}

function spans(startDate: string, tasks: readonly SchedulableTask[]) {
  const outcome = scheduleFromStart(startDate, tasks, calendar)
  if (!('tasks' in outcome)) throw new Error(JSON.stringify(outcome))
  return outcome.tasks.map(({ id, plannedStart, plannedEnd }) => `${id} ${plannedStart} ${plannedEnd}`)
}

test('tasks without predecessors start on the start date or the next workday, and their successors follow', () => {
  const tasks = [task('walls', 2, ['slab', 'FS', 1]), task('slab', 1), task('fence', 1)]
  expect(spans('2026-11-26', tasks)).toEqual([
    'walls 2026-12-02 2026-12-03',
    'slab 2026-11-30 2026-11-30',
    'fence 2026-11-30 2026-11-30',
  ])
})

test('no task starts before the start date, even if its links would allow it', () => {
  const tasks = [task('trim', 1), task('paint', 5, ['trim', 'FF', 0]), task('clean', 1, ['trim', 'SS', -3])]
  expect(spans('2026-11-30', tasks)).toEqual([
    'trim 2026-11-30 2026-11-30',
    'paint 2026-11-30 2026-12-04',
    'clean 2026-11-30 2026-11-30',
  ])
  const outcome = scheduleFromStart('2026-11-30', tasks, calendar)
  expect('tasks' in outcome && outcome.tasks.map(({ constraint }) => constraint.date)).toEqual(
    tasks.map(() => '2026-11-30'),
  )
})

test('a milestone does not delay a milestone that follows it at the start of the schedule', () => {
  const tasks = [task('released', 0), task('told', 0, ['released', 'FS', 0]), task('plot', 1, ['told', 'FS', 0])]
  expect(spans('2026-11-30', tasks).at(-1)).toBe('plot 2026-11-30 2026-11-30')
})
