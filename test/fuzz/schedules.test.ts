import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Task, VendorNotification } from '../../client/contract.gen.ts'
import { SeededRandom } from '../../scripts/conformance/random.ts'
import { scheduleTasks } from '../../server/domain/building/schedule/schedule-tasks.ts'
import { notifyDueTasks } from '../../server/domain/building/tasks/notify-due-tasks.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { createWorkCalendar } from '../../server/platform/values/workdays.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'

/**
 * Edits random schedules at random over HTTP. After each sequence, the stored dates must equal those from scheduling
 * the stored tasks from scratch, and the tasks must have no cycles. Every response must list the tasks that moved. A
 * vendor that was notified of a date must be notified exactly once of every later change. A vendor that was asked to
 * confirm a date, or has responded, must be asked again about a new date.
 */
const EDITS = 25
/** The minimum number of sequences, even if they take longer than the available time. */
const LEAST = 10
const ZONE = 'America/Chicago'
/** Turns off scheduled notices, so that nothing changes between an edit and the check after it. */
const UNTOLD = { advanceNoticeDays: null, reminderDays: null }

let plumbline: TestPlumbline
let communityId: string
const vendorIds: string[] = []
const community = { workdays: [1, 2, 3, 4, 6], holidays: [] as string[] }

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  community.holidays = [3, 10, 11, 30].map((days) => addDays(today(), days))
  const body = { name: 'Juniper Ridge', status: 'active', timeZone: ZONE, ...community }
  communityId = (await plumbline.post('/api/ext/communities', body)).body.id
  for (const companyName of ['Lone Star Framing LLC', 'Hill Country Framers']) {
    const email = 'bids@example.com'
    const vendor = { companyName, email, notificationPreferences: UNTOLD }
    vendorIds.push((await plumbline.post('/api/ext/vendors', vendor)).body.id)
  }
})
afterAll(() => plumbline.stop())

const today = () => toLocalDate(ZONE, plumbline.clock.now())

test(`random edits keep a schedule consistent, for ${SECONDS} s, seed ${SEED}`, { timeout: TIMEOUT_MS }, async () => {
  const seen = new Map<string, number>()
  async function play(seed: number): Promise<void> {
    const random = new SeededRandom(seed)
    const { body: home } = await plumbline.post('/api/ext/homes', { name: `Lot ${seed}`, communityId })
    let before: Task[] = []
    for (let edit = 0; edit < EDITS; edit++) {
      const [what, answer] = await anyEdit(random, home.id, before)
      expect([what, answer.status < 500, answer.body?.detail]).toEqual([what, true, answer.body?.detail])
      seen.set(`${what} ${answer.status}`, (seen.get(`${what} ${answer.status}`) ?? 0) + 1)
      const after = await getTasks(home.id)
      if (answer.status >= 400) expect(after, `seed ${seed}: a refused ${what} changed something`).toEqual(before)
      else if (answer.body?.cascade !== undefined) expectNamed(answer.body.cascade.moved, before, after)
      expectAskedAnew(before, after)
      before = after
    }
    const { body: schedule } = await plumbline.get(`/api/ext/homes/${home.id}/schedule`)
    expectFromScratch(before, schedule.dataDate, seed)
    await expectToldOnce(home.id, before)
  }
  const batches = await repeatUntilDeadline(performance.now() + SECONDS * 1000, async (seed) => {
    for (let i = 0; i < LEAST; i++) await play(seed * LEAST + i)
  })
  const counts = [...seen].map(([what, count]) => `${what} ${count}`).join(', ')
  console.log(`seed ${SEED}, ${batches * LEAST} sequences: ${counts}`)
  // If no step succeeded, the sequences would prove nothing.
  for (const what of [
    'create 201',
    'link 200',
    'link 422',
    'move 200',
    'delay 200',
    'complete 200',
    'tell 201',
    'ask 200',
    'answer 200',
    'due 200',
  ])
    expect(seen.get(what) ?? 0, what).toBeGreaterThan(0)
})

async function getTasks(homeId: string): Promise<Task[]> {
  return (await plumbline.get(`/api/ext/tasks?homeId=${homeId}&limit=200&sort=createdAt`)).body.data
}

async function anyEdit(
  random: SeededRandom,
  homeId: string,
  tasks: readonly Task[],
): Promise<[string, ServiceResponse]> {
  const aDate = () => addDays(today(), random.between(-10, 40))
  const links = () =>
    tasks.length === 0
      ? []
      : Array.from({ length: random.between(0, 3) }, () => {
          const { id: taskId } = random.pick(tasks)
          const lagUnit = random.pick(['workdays', 'workdays', 'calendar_days'] as const)
          return {
            ...{ taskId, type: random.pick(['FS', 'FS', 'SS', 'FF', 'SF'] as const) },
            ...{ lagDays: random.between(-3, 5), lagUnit },
          }
        })
  const constraint = () => {
    const type = random.pick(['none', 'start_no_earlier_than', 'must_start_on', 'hold'] as const)
    return type === 'none' ? { type } : { type, date: aDate() }
  }
  const task = tasks.length < 4 || (tasks.length < 14 && random.chance(0.2)) ? undefined : random.pick(tasks)
  if (task === undefined) {
    const isPoint = random.chance(0.15)
    const body = {
      ...{ homeId, name: `Task ${tasks.length + 1}`, vendorId: random.pick([...vendorIds, null]) },
      ...(isPoint ? { taskKind: 'milestone' } : { durationDays: random.between(1, 8) }),
      ...{ predecessors: links(), ...(random.chance(0.4) && { constraint: constraint() }) },
    }
    return ['create', await plumbline.post('/api/ext/tasks', body)]
  }
  const path = `/api/ext/tasks/${task.id}`
  const reason = 'So it is.'
  const edits: (() => Promise<[string, ServiceResponse]>)[] = [
    async () => ['link', await plumbline.patch(path, { predecessors: links() })],
    async () => ['move', await plumbline.patch(path, { plannedStart: aDate() })],
    async () => ['constrain', await plumbline.patch(path, { constraint: constraint() })],
    async () => ['report', await plumbline.patch(path, { remainingDays: random.between(1, 9) })],
    async () => ['stretch', await plumbline.patch(path, { durationDays: random.between(1, 9) })],
    async () => ['delay', await plumbline.post(`${path}/delay`, { days: random.between(1, 6), reasonCode: 'weather' })],
    async () => [
      'complete',
      await plumbline.post(`${path}/complete`, { date: addDays(today(), random.between(-4, 0)), force: true, reason }),
    ],
    async () => {
      const status = random.pick(['in_progress', 'not_started', 'on_hold', 'skipped'] as const)
      return [status, await plumbline.post(`${path}/status`, { status, force: true, reason })]
    },
    async () => ['archive', await plumbline.delete(path)],
    async () => {
      const notices = `/api/ext/vendors/${task.vendorId ?? vendorIds[0]}/notifications`
      return ['tell', await plumbline.post(notices, { kind: 'advance', taskId: task.id })]
    },
    async () => ['ask', await plumbline.post(`${path}/confirmation/request`)],
    async () => {
      // Checks only dates of which the vendor was notified, because in this test, vendors learn dates only from
      // notices.
      const reported = tasks.filter(
        ({ notifiedStart, plannedStart }) => notifiedStart !== null && plannedStart >= today(),
      )
      if (reported.length === 0) return ['ask', await plumbline.post(`${path}/confirmation/request`)]
      const said = random.pick(['confirmed', 'declined', 'reschedule_requested', 'reschedule_requested'] as const)
      const body = {
        answer: said,
        ...(said === 'reschedule_requested' && { proposedStart: addDays(today(), random.between(0, 40)) }),
      }
      return ['answer', await plumbline.post(`/api/ext/tasks/${random.pick(reported).id}/confirmation`, body)]
    },
    async () => {
      const { id } = tasks.find(({ confirmation }) => confirmation.proposedStart !== null) ?? task
      const body = { accept: random.chance(0.7) }
      return ['decide', await plumbline.post(`/api/ext/tasks/${id}/confirmation/decision`, body)]
    },
    async () => {
      const vendor = `/api/ext/vendors/${random.pick(vendorIds)}`
      await plumbline.patch(vendor, { notificationPreferences: { advanceNoticeDays: 14, reminderDays: 4 } })
      await Promise.all([1, 2].map(() => notifyDueTasks(plumbline.app.services)))
      return ['due', await plumbline.patch(vendor, { notificationPreferences: UNTOLD })]
    },
  ]
  return random.pick(edits)()
}

/** Asserts that the response lists every task whose planned dates have changed, with the old and new dates. */
function expectNamed(moved: readonly { taskId: string }[], before: readonly Task[], after: readonly Task[]): void {
  const really = after.flatMap(({ id, plannedStart, plannedEnd }) => {
    const was = before.find((task) => task.id === id)
    if (was === undefined || (was.plannedStart === plannedStart && was.plannedEnd === plannedEnd)) return []
    return [
      { taskId: id, oldStart: was.plannedStart, oldEnd: was.plannedEnd, newStart: plannedStart, newEnd: plannedEnd },
    ]
  })
  const byId = (a: { taskId: string }, b: { taskId: string }) => (a.taskId < b.taskId ? -1 : 1)
  expect([...moved].sort(byId)).toMatchObject(really.sort(byId))
  expect(moved).toHaveLength(really.length)
}

/**
 * Asserts that a vendor that was asked to confirm a date, or has responded, is asked again when the date changes. An
 * exception is a new date that the vendor proposed itself.
 */
function expectAskedAnew(before: readonly Task[], after: readonly Task[]): void {
  for (const { id, name, plannedStart, actualStart, status, confirmation } of after) {
    const was = before.find((task) => task.id === id)
    const isAhead = actualStart === null && (status === 'not_started' || status === 'on_hold')
    if (was === undefined || was.plannedStart === plannedStart || !isAhead) continue
    if (['none', 'declined'].includes(was.confirmation.status)) continue
    const expected = was.confirmation.proposedStart === plannedStart ? 'confirmed' : 'requested'
    expect([name, confirmation.status]).toEqual([name, expected])
  }
}

function expectFromScratch(tasks: readonly Task[], dataDate: string, seed: number): void {
  const outcome = scheduleTasks(tasks, createWorkCalendar(community), dataDate)
  if (!('placed' in outcome)) throw new Error(`seed ${seed}: ${JSON.stringify(outcome)} was stored.`)
  for (const [i, task] of tasks.entries())
    expect(task, `seed ${seed}: ${task.name}`).toMatchObject(outcome.placed[i]?.dates ?? {})
}

/**
 * Asserts that each notice of a new date contains the date of the previous notice as the old date, and that the last
 * notice contains the date that the vendor knows.
 */
async function expectToldOnce(homeId: string, tasks: readonly Task[]): Promise<void> {
  const known = new Map<string, string>()
  const notices: VendorNotification[] = []
  for (const vendorId of vendorIds) {
    const query = `homeId=${homeId}&limit=200&sort=createdAt`
    notices.push(...(await plumbline.get(`/api/ext/vendors/${vendorId}/notifications?${query}`)).body.data)
  }
  for (const { taskId, date, tasks: moved, kind, createdBy } of notices) {
    // Without an edit, the service sends one notice of a task, and then only reminders of dates that the vendor knows.
    if (taskId !== null && createdBy.type === 'system')
      expect(known.get(taskId)).toBe(kind === 'advance' ? undefined : date)
    if (taskId !== null) known.set(taskId, date)
    for (const { taskId, oldStartDate, newStartDate } of moved) {
      expect(oldStartDate).toBe(known.get(taskId))
      expect(newStartDate).not.toBe(oldStartDate)
      known.set(taskId, newStartDate)
    }
  }
  for (const { id, notifiedStart } of tasks) expect(notifiedStart ?? undefined).toBe(known.get(id))
}
