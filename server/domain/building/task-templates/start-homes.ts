import type {
  Community,
  HomeStart,
  HomeStarts,
  HomeStartsCreate,
  TaskTemplate,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { createWorkCalendar } from '../../../platform/values/workdays.ts'
import * as communities from '../../land/communities/queries.ts'
import { findLastDay } from '../schedule/schedule-tasks.ts'
import { lockCalendar } from '../tasks/queries.ts'
import { makeSchedules } from './make-schedules.ts'
import * as templates from './queries.ts'
import { compareLots, computeStartDates } from './start-dates.ts'
import { assertValidStartDate } from './template.ts'

/** Enough for two years with two starts per week. */
const MAX_HOMES = 200
/**
 * The number of tasks in fifty typical homes. The database needs two seconds for this number, during which the homes
 * are locked.
 */
const MAX_TASKS = 5000
/** The maximum total size of the rows of the templates in bytes. The memory use is a small multiple of this size. */
const MAX_BYTES = 16 * 1024 * 1024

const STARTABLE_STATUSES: ReadonlySet<string> = new Set(['planning', 'permitting', 'ready_to_start'])

/** Creates schedules for homes of a community, staggered according to the number of starts per week. */
export async function startHomes(call: WriteCall, communityId: string, body: HomeStartsCreate): Promise<HomeStarts> {
  assertValidStartDate(body.firstStartDate, '/firstStartDate')
  await lockCalendar(call, { communityId })
  const community = await communities.find(call, communityId)
  const startsPerWeek = chooseStartsPerWeek(community, body)
  const homes = await lockHomesToStart(call, community, body.homeIds)
  const busy = await templates.findHomesWithTasks(
    call,
    homes.map(({ id }) => id),
  )
  const templateOf = await chooseTemplates(
    call,
    homes.filter((home) => !busy.has(home.id) && canBeStarted(home)),
    community.id,
    body.taskTemplateId,
  )
  const starting = homes.flatMap((home) => {
    const template = templateOf(home)
    return template === undefined || busy.has(home.id) || !canBeStarted(home) ? [] : [{ home, template }]
  })
  const calendar = createWorkCalendar(community)
  const pace = { first: body.firstStartDate, perWeek: startsPerWeek, workdaysPerWeek: community.workdays.length }
  const dates = computeStartDates(calendar, pace, starting.length)
  const requested = starting.map((each, i) => ({ ...each, startDate: dates[i] ?? body.firstStartDate }))
  const created = await makeSchedules(call, requested, calendar, '/firstStartDate')
  const started = new Map(
    requested.map(({ home, template, startDate }, i) => {
      const tasks = created[i] ?? []
      return [home.id, { template, startDate, endDate: findLastDay(tasks), tasksCreated: tasks.length }]
    }),
  )
  return {
    ...{ communityId: community.id, startsPerWeek, scheduled: started.size, skipped: homes.length - started.size },
    homes: homes.map((home): HomeStart => {
      const { template = null, startDate = null, endDate = null, tasksCreated = 0 } = started.get(home.id) ?? {}
      const reason = busy.has(home.id) ? 'has_schedule' : canBeStarted(home) ? 'no_template' : 'not_startable'
      return {
        ...{ homeId: home.id, name: home.name, outcome: template === null ? reason : 'scheduled' },
        ...{ taskTemplateId: template?.id ?? null, startDate, endDate, tasksCreated },
      }
    }),
  }
}

function chooseStartsPerWeek(
  { name, archivedAt, startsPerWeekTarget }: Community,
  { startsPerWeek }: HomeStartsCreate,
): number {
  if (archivedAt !== null) throw conflict('archived', `Cannot start homes in ${name}: the community is archived.`)
  const perWeek = startsPerWeek ?? startsPerWeekTarget
  if (perWeek !== null) return perWeek
  const message = `is required because ${name} has no startsPerWeekTarget`
  throw validationFailed([{ pointer: '/startsPerWeek', code: 'required', message }])
}

function canBeStarted({ status, archivedAt }: templates.StartingHome): boolean {
  return archivedAt === null && STARTABLE_STATUSES.has(status)
}

/** Locks the homes and returns them in the order in which they start. */
async function lockHomesToStart(
  call: WriteCall,
  community: Community,
  homeIds: readonly string[] | undefined,
): Promise<templates.StartingHome[]> {
  if (homeIds === undefined) {
    const ready = await templates.lockReadyHomes(call, community.id, MAX_HOMES + 1)
    if (ready.length > MAX_HOMES)
      throw problem(
        'too_much_work',
        `More than ${MAX_HOMES} homes are ready to start. Set homeIds to at most ${MAX_HOMES} of them.`,
      )
    return ready.sort(compareLots)
  }
  const known = new Map((await templates.lockHomes(call, homeIds)).map((home) => [home.id, home]))
  const unknown = homeIds.flatMap((id, i) => (known.has(id) ? [] : [`/homeIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const homes = homeIds.flatMap((id) => known.get(id) ?? [])
  const elsewhere = homes.flatMap(({ communityId }, i) =>
    communityId === community.id
      ? []
      : [{ pointer: `/homeIds/${i}`, code: 'community', message: `must be a home in ${community.name}` }],
  )
  if (elsewhere.length > 0) throw validationFailed(elsewhere)
  return homes
}

/** Returns a function that returns the template of a home. Throws if the work exceeds the limits of one request. */
async function chooseTemplates(
  call: WriteCall,
  homes: readonly templates.StartingHome[],
  communityId: string,
  taskTemplateId: string | undefined,
): Promise<(home: templates.StartingHome) => TaskTemplate | undefined> {
  if (taskTemplateId !== undefined) {
    const template = await requireTemplate(call, taskTemplateId)
    const size = { taskCount: template.taskCount, bytes: JSON.stringify(template.rows).length }
    assertWithinLimits(homes.map(() => size))
    return () => template
  }
  const nearest = await templates.findNearestTemplates(
    call,
    communityId,
    homes.map(({ planId }) => planId),
  )
  const chosen = homes.flatMap(({ planId }) => nearest.get(planId) ?? [])
  assertWithinLimits(chosen)
  const found = await templates.findAll(call, [...new Set(chosen.map(({ id }) => id))])
  const byId = new Map(found.map((template) => [template.id, template]))
  return ({ planId }) => byId.get(nearest.get(planId)?.id ?? '')
}

/** Returns the template that the caller specified. Throws if the template does not exist. */
export async function requireTemplate(call: WriteCall, id: string): Promise<TaskTemplate> {
  const template = await templates.findOptional(call, id)
  if (template === undefined) throw unknownReference(['/taskTemplateId'])
  if (template.archivedAt !== null)
    throw conflict('archived', `Cannot use the task template ${template.name}: it is archived.`)
  return template
}

function assertWithinLimits(sizes: readonly { taskCount: number; bytes: number }[]): void {
  const tasks = sizes.reduce((sum, { taskCount }) => sum + taskCount, 0)
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
  if (tasks <= MAX_TASKS && bytes <= MAX_BYTES) return
  const detail = `The ${sizes.length} homes would get ${formatNumber(tasks)} tasks. Set homeIds to fewer homes, with at most ${formatNumber(MAX_TASKS)} tasks in total.`
  throw problem('too_much_work', detail)
}
