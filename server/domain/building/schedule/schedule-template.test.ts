import { expect, test } from 'vitest'
import { type SchedulableRow, scheduleTemplate } from './schedule-template.ts'

function row(name: string, durationDays: number, ...links: Partial<SchedulableRow['predecessors'][number]>[]) {
  return {
    ...{ name, durationDays },
    predecessors: links.map((link) => ({
      ...{ name: '', type: 'FS' as const, lagDays: 0, lagUnit: 'workdays' as const },
      ...link,
    })),
  }
}

test('rows start as early as their predecessors allow, and the longest chain is critical', () => {
  const scheduled = scheduleTemplate([
    row('slab', 1),
    row('walls', 6, { name: 'slab', lagDays: 4 }),
    row('fence', 2, { name: 'slab' }),
  ])
  expect(scheduled).toEqual({
    workdays: 11,
    rows: [
      { start: 0, end: 1, isCritical: true, float: 0 },
      { start: 5, end: 11, isCritical: true, float: 0 },
      { start: 1, end: 3, isCritical: false, float: 8 },
    ],
  })
})

test('a milestone that follows a task is at the end of the last day of the task', () => {
  const scheduled = scheduleTemplate([row('walls', 3), row('framed', 0, { name: 'walls' }), row('started', 0)])
  expect(scheduled).toMatchObject({
    workdays: 3,
    rows: [{ end: 3 }, { start: 3, end: 3 }, { start: 0, end: 0 }],
  })
})

test('rows that wait for each other are reported as a cycle', () => {
  const scheduled = scheduleTemplate([row('walls', 3, { name: 'roof' }), row('roof', 3, { name: 'walls' })])
  expect(scheduled).toMatchObject({ ring: expect.arrayContaining(['walls', 'roof']) })
})
