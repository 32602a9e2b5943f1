import { expect, test } from 'vitest'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import { computePercentDone, findLastDay, type SchedulableTask, scheduleTasks } from './schedule-tasks.ts'

const calendar = createWorkCalendar({ workdays: [1, 2, 3, 4, 5], holidays: ['2026-11-26', '2026-11-27'] })

function task(id: string, fields: Partial<SchedulableTask> = {}): SchedulableTask {
  return {
    ...{ id, status: 'not_started', durationDays: 1, constraint: { type: 'none', date: null } },
    ...{ workdayOverride: false, startDelayDays: 0, predecessors: [] },
    ...{ plannedStart: '2026-11-23', plannedEnd: '2026-11-23', actualStart: null, actualEnd: null },
    ...fields,
  }
}

const after = (...ids: string[]) => ({
  predecessors: ids.map((taskId) => ({ taskId, type: 'FS' as const, lagDays: 0 })),
})
const link = (taskId: string, type: 'FS' | 'SS' | 'FF' | 'SF', lagDays = 0) => ({
  predecessors: [{ taskId, type, lagDays }],
})

function getDates(tasks: readonly SchedulableTask[]) {
  const outcome = scheduleTasks(tasks, calendar)
  if (!('placed' in outcome)) throw new Error(JSON.stringify(outcome))
  return new Map(tasks.map(({ id }, i) => [id, outcome.placed[i]?.dates]))
}

const spans = (tasks: readonly SchedulableTask[]) =>
  [...getDates(tasks)].map(([id, dates]) => `${id} ${dates?.plannedStart} ${dates?.plannedEnd}`)

test('a task is scheduled only on workdays, including its last day', () => {
  const tasks = [
    task('slab', { durationDays: 3, plannedStart: '2026-11-24' }),
    task('walls', { durationDays: 5, ...after('slab') }),
    task('wires', { durationDays: 2, ...link('walls', 'SS', 2) }),
    task('paint', { durationDays: 1, ...link('walls', 'FF') }),
  ]
  expect(spans(tasks)).toEqual([
    'slab 2026-11-24 2026-11-30',
    'walls 2026-12-01 2026-12-07',
    'wires 2026-12-03 2026-12-04',
    'paint 2026-12-07 2026-12-07',
  ])
})

test('a milestone falls on the day on which its predecessor ends or starts, depending on the link', () => {
  const tasks = [
    task('begin', { durationDays: 0 }),
    task('slab', { durationDays: 2, ...after('begin') }),
    task('poured', { durationDays: 0, ...after('slab') }),
    task('walls', after('poured')),
    task('framing begun', { durationDays: 0, ...link('walls', 'SS') }),
    task('inspected', {
      durationDays: 0,
      predecessors: [
        { taskId: 'slab', type: 'FS', lagDays: 0 },
        { taskId: 'walls', type: 'SS', lagDays: 0 },
      ],
    }),
    task('not before', {
      ...{ durationDays: 0, constraint: { type: 'start_no_earlier_than', date: '2026-12-02' } },
      ...after('slab'),
    }),
    task('the same day', after('not before')),
  ]
  expect(spans(tasks)).toEqual([
    'begin 2026-11-23 2026-11-23',
    'slab 2026-11-23 2026-11-24',
    'poured 2026-11-24 2026-11-24',
    'walls 2026-11-25 2026-11-25',
    'framing begun 2026-11-25 2026-11-25',
    'inspected 2026-11-25 2026-11-25',
    'not before 2026-12-02 2026-12-02',
    'the same day 2026-12-02 2026-12-02',
  ])
})

test('an actual date on a day off counts as the next workday', () => {
  const done = { status: 'completed' as const, actualStart: '2026-11-20', actualEnd: '2026-11-28' }
  const tasks = [task('slab', { ...done, durationDays: 5 }), task('walls', after('slab'))]
  expect(getDates(tasks).get('walls')).toMatchObject({ plannedStart: '2026-11-30' })
  expect(getDates(tasks).get('slab')).toMatchObject({ earlyStart: '2026-11-20', earlyFinish: '2026-11-28' })
})

test('a late actual start does not change the planned start of a task', () => {
  const plan = { plannedStart: '2026-11-23', plannedEnd: '2026-11-25' }
  const started = { ...plan, durationDays: 3, actualStart: '2026-12-01' }
  expect(getDates([task('walls', { ...started, status: 'in_progress' })]).get('walls')).toMatchObject({
    ...{ plannedStart: '2026-11-23', plannedEnd: '2026-12-03', earlyStart: '2026-12-01', earlyFinish: '2026-12-03' },
  })
  const done = task('walls', { ...started, status: 'completed', actualEnd: '2026-12-02' })
  expect(getDates([done]).get('walls')).toMatchObject({ ...plan, earlyFinish: '2026-12-02', totalFloatDays: null })
})

test('work in progress ends no earlier than the data date', () => {
  const plan = { durationDays: 2, plannedStart: '2026-11-16', plannedEnd: '2026-11-17' }
  const slab = task('slab', { ...plan, status: 'in_progress', actualStart: '2026-11-16' })
  const placed = (dataDate: string | null, ...more: SchedulableTask[]) => {
    const outcome = scheduleTasks([slab, ...more], calendar, dataDate)
    return 'placed' in outcome ? outcome.placed.map(({ dates }) => dates) : []
  }
  expect(placed(null)[0]).toMatchObject({ plannedEnd: '2026-11-17', earlyFinish: '2026-11-17' })
  const walls = task('walls', after('slab'))
  expect(placed('2026-11-19', walls)).toMatchObject([
    { plannedEnd: '2026-11-17', earlyFinish: '2026-11-19', lateFinish: '2026-11-19', totalFloatDays: 0 },
    { plannedStart: '2026-11-20' },
  ])
  // Saturday is not a workday, so the work ends on Monday.
  expect(placed('2026-11-21', walls)).toMatchObject([{ earlyFinish: '2026-11-23' }, { plannedStart: '2026-11-24' }])
  expect(placed('2026-11-16')[0]).toMatchObject({ earlyFinish: '2026-11-17' })
})

test('reported remaining days determine the end of a started task', () => {
  const slab = task('slab', {
    ...{ status: 'in_progress', durationDays: 2, actualStart: '2026-11-16', remainingDays: 3 },
    remainingAsOf: '2026-11-19',
  })
  expect(getDates([slab, task('walls', after('slab'))]).get('slab')).toMatchObject({
    ...{ plannedEnd: '2026-11-23', earlyFinish: '2026-11-23' },
  })
})

test('the successors of a skipped task wait for its predecessors', () => {
  const tasks = [
    task('slab', { durationDays: 2 }),
    task('fence', { durationDays: 5, status: 'skipped', ...after('slab') }),
    task('walls', after('fence')),
  ]
  expect(spans(tasks).at(-1)).toBe('walls 2026-11-25 2026-11-25')
})

test('successors of a skipped task inherit its links of all types and lags', () => {
  const [slab, walls] = [task('slab', { durationDays: 4 }), task('walls', { durationDays: 2, ...after('slab') })]
  const fence = task('fence', {
    ...{ durationDays: 5, status: 'skipped' },
    predecessors: [
      { taskId: 'slab', type: 'SS', lagDays: 1 },
      { taskId: 'walls', type: 'SS', lagDays: 0 },
      { taskId: 'gone', type: 'FS', lagDays: 0 },
    ],
  })
  const gone = task('gone', { status: 'skipped', ...link('slab', 'FS', -2) })
  const paint = (fields: Partial<SchedulableTask>) => spans([slab, walls, gone, fence, task('paint', fields)]).at(-1)
  // Walls start on December 1. The fence is linked to the start of the walls. Unlike a link to the finish, a link to
  // the start does not shift the fence by a day.
  expect(paint(after('fence'))).toBe('paint 2026-12-01 2026-12-01')
  expect(paint(link('fence', 'FS', 2))).toBe('paint 2026-12-03 2026-12-03')
  expect(paint({ durationDays: 1, ...link('fence', 'FF', 1) })).toBe('paint 2026-12-01 2026-12-01')
  expect(
    spans([task('fence', { status: 'skipped' }), task('paint', { plannedStart: '2026-11-30', ...after('fence') })]),
  ).toContain('paint 2026-11-30 2026-11-30')
})

test('of several links through skipped tasks, the one with the longest lag applies', () => {
  const skipped = Array.from({ length: 40 }, (_, i) =>
    task(`skipped-${i}`, {
      status: 'skipped',
      predecessors: [
        { taskId: 'slab', type: 'FS', lagDays: i % 3 },
        ...(i === 0 ? [] : [{ taskId: `skipped-${i - 1}`, type: 'FS' as const, lagDays: 0 }]),
      ],
    }),
  )
  // Forty skipped tasks, each of which repeats the links of all tasks before it.
  expect(spans([task('slab'), ...skipped, task('walls', after('skipped-39'))]).at(-1)).toBe(
    'walls 2026-11-30 2026-11-30',
  )
})

/** A chain of skipped tasks, each of which also follows other tasks. The last task follows the chain. */
function chain(length: number, others: number): SchedulableTask[] {
  const walls = Array.from({ length: others }, (_, i) => task(`wall-${i}`))
  const skipped = Array.from({ length }, (_, i) =>
    task(`skipped-${i}`, {
      status: 'skipped',
      predecessors: [
        ...Array.from({ length: 49 }, (_, n) => ({
          ...{
            taskId: `wall-${(i * 49 + n) % others}`,
            type: (['FS', 'SS', 'FF', 'SF'] as const)[(i + n) % 4] ?? 'FS',
          },
          lagDays: 0,
        })),
        ...(i === 0 ? [] : [{ taskId: `skipped-${i - 1}`, type: 'FS' as const, lagDays: 0 }]),
      ],
    }),
  )
  return [...walls, ...skipped, task('roof', after(`skipped-${length - 1}`))]
}

test('a schedule whose skipped tasks multiply its links is rejected quickly', () => {
  expect(scheduleTasks(chain(20, 400), calendar)).toHaveProperty('placed')
  const startedMs = performance.now()
  expect(scheduleTasks(chain(500, 499), calendar)).toEqual({ overloadedId: expect.stringMatching(/^skipped-/) })
  expect(performance.now() - startedMs).toBeLessThan(5000)
})

test('if a task starts early, its planned start becomes the actual start', () => {
  const early = { status: 'in_progress' as const, actualStart: '2026-11-23', plannedStart: '2026-12-07' }
  expect(getDates([task('walls', { ...early, durationDays: 2 })]).get('walls')).toMatchObject({
    ...{ plannedStart: '2026-11-23', plannedEnd: '2026-11-24' },
  })
})

test('a task with workdayOverride is scheduled on the date of its constraint, even on a day off', () => {
  const on = (date: string, fields: Partial<SchedulableTask> = {}) => {
    const pour = task('pour', { workdayOverride: true, constraint: { type: 'must_start_on', date }, ...fields })
    return spans([pour, task('walls', after('pour'))])
  }
  // Test a Saturday, with one and with two days of work, and a holiday.
  expect(on('2026-11-28')).toEqual(['pour 2026-11-28 2026-11-28', 'walls 2026-11-30 2026-11-30'])
  expect(on('2026-11-28', { durationDays: 2 })).toEqual(['pour 2026-11-28 2026-11-30', 'walls 2026-12-01 2026-12-01'])
  expect(on('2026-11-26')).toEqual(['pour 2026-11-26 2026-11-26', 'walls 2026-11-30 2026-11-30'])
  // The override does not change the dates if the date is a workday, workdayOverride is off, or the task has started on
  // another day.
  const monday = ['pour 2026-11-30 2026-11-30', 'walls 2026-12-01 2026-12-01']
  expect(on('2026-11-30')).toEqual(monday)
  expect(on('2026-11-28', { workdayOverride: false })).toEqual(monday)
  const late = { status: 'in_progress' as const, actualStart: '2026-11-30', plannedStart: '2026-11-28' }
  expect(on('2026-11-28', late)).toEqual(['pour 2026-11-28 2026-11-30', 'walls 2026-12-01 2026-12-01'])
})

test('the late dates of a critical task with workdayOverride equal its planned dates', () => {
  const constraint = { type: 'hold' as const, date: '2026-11-28' }
  const pour = task('pour', { workdayOverride: true, constraint })
  expect(getDates([pour]).get('pour')).toMatchObject({
    ...{ lateStart: '2026-11-28', lateFinish: '2026-11-28', totalFloatDays: 0, isCritical: true },
  })
  expect(getDates([pour, task('far', { plannedStart: '2026-12-01' })]).get('pour')).toMatchObject({
    ...{ lateStart: '2026-12-01', lateFinish: '2026-12-01', totalFloatDays: 2 },
  })
})

test('startDelayDays delays a task in addition to its links', () => {
  const delayed = task('walls', { startDelayDays: 2, ...after('slab') })
  expect(spans([task('slab'), delayed]).at(-1)).toBe('walls 2026-11-30 2026-11-30')
  expect(spans([task('slab', { durationDays: 3 }), delayed]).at(-1)).toBe('walls 2026-12-02 2026-12-02')
})

test('the error for circular links or an out-of-range date names the tasks', () => {
  expect(scheduleTasks([task('a', after('b')), task('b', after('a'))], calendar)).toEqual({ ring: ['a', 'b'] })
  const far = task('far', { plannedStart: '2999-12-30', durationDays: 9 })
  expect(scheduleTasks([task('near'), far], calendar)).toEqual({ beyondId: 'far' })
})

test('the progress of a schedule is weighted by task duration', () => {
  const done = { status: 'completed' as const, percentComplete: 100 }
  const open = { status: 'not_started' as const, percentComplete: 0 }
  expect(computePercentDone([])).toBe(0)
  expect(
    computePercentDone([
      { ...done, durationDays: 1 },
      { ...open, durationDays: 2 },
    ]),
  ).toBe(33.33)
  expect(computePercentDone([{ status: 'skipped', percentComplete: 0, durationDays: 5 }])).toBe(0)
})

test('milestones count toward progress only if there are no other tasks', () => {
  const done = { status: 'completed' as const, percentComplete: 100 }
  const open = { status: 'not_started' as const, percentComplete: 0 }
  expect(
    computePercentDone([
      { ...done, durationDays: 1 },
      { ...open, durationDays: 0 },
    ]),
  ).toBe(100)
  expect(
    computePercentDone([
      { ...done, durationDays: 0 },
      { ...open, durationDays: 0 },
    ]),
  ).toBe(50)
})

test('400 tasks with more than 800 links are scheduled in less than 20 ms', () => {
  const tasks = Array.from({ length: 400 }, (_, i) =>
    task(`t${i}`, {
      ...{ durationDays: 1 + (i % 7) },
      predecessors: [1, 7, 13]
        .filter((back) => i >= back && (back < 13 || i % 50 < 2))
        .map((back) => ({ taskId: `t${i - back}`, type: back === 7 ? 'SS' : 'FS', lagDays: back % 3 })),
    }),
  )
  expect(tasks.reduce((sum, { predecessors }) => sum + predecessors.length, 0)).toBeGreaterThan(800)
  // Use the median of many runs, because other programs interrupt single runs, and the first runs include compilation.
  const runs = Array.from({ length: 60 }, () => {
    const before = process.cpuUsage()
    expect(findLastDay([...getDates(tasks).values()].flatMap((dates) => dates ?? []))).not.toBeNull()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }).sort((a, b) => a - b)
  console.log(`400 tasks: ${runs[30]?.toFixed(1)} ms of processor time`)
  expect(runs[30]).toBeLessThan(20)
})
