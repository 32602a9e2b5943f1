import type {
  Community,
  HomeStart,
  HomeStarts,
  HomeStartsCreate,
  TaskTemplate,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, invalid, problem, unknownReference } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { workCalendar } from '../../../platform/values/workdays.ts'
import * as communities from '../../land/communities/queries.ts'
import { lastDayOf } from '../schedule/schedule.ts'
import { makeSchedules } from './make.ts'
import * as templates from './queries.ts'
import { byLot, startDates } from './starts.ts'
import { assertStart } from './template.ts'

/** Two years of starts at two a week. */
const MOST_HOMES = 200
/** Tasks of fifty typical homes. The database needs two seconds for them, during which the homes are locked. */
const MOST_TASKS = 5000
/** Size of the templates' rows. Memory use is a small multiple of it. */
const MOST_BYTES = 16 * 1024 * 1024

const STARTABLE: ReadonlySet<string> = new Set(['planning', 'permitting', 'ready_to_start'])

/** Creates the schedules of homes of a community, staggered by the weekly rate. */
export async function startHomes(call: WriteCall, communityId: string, body: HomeStartsCreate): Promise<HomeStarts> {
  assertStart(body.firstStartDate, '/firstStartDate')
  const community = await communities.find(call, communityId)
  const startsPerWeek = perWeekOf(community, body)
  const homes = await homesFor(call, community, body.homeIds)
  const busy = await templates.withTasks(
    call,
    homes.map(({ id }) => id),
  )
  const templateOf = await templatesFor(
    call,
    homes.filter((home) => !busy.has(home.id) && isStartable(home)),
    community.id,
    body.taskTemplateId,
  )
  const starting = homes.flatMap((home) => {
    const template = templateOf(home)
    return template === undefined || busy.has(home.id) || !isStartable(home) ? [] : [{ home, template }]
  })
  const calendar = workCalendar(community)
  const pace = { first: body.firstStartDate, perWeek: startsPerWeek, workdaysPerWeek: community.workdays.length }
  const dates = startDates(calendar, pace, starting.length)
  const wanted = starting.map((each, i) => ({ ...each, startDate: dates[i] ?? body.firstStartDate }))
  const made = await makeSchedules(call, wanted, calendar, '/firstStartDate')
  const started = new Map(
    wanted.map(({ home, template, startDate }, i) => {
      const tasks = made[i] ?? []
      return [home.id, { template, startDate, endDate: lastDayOf(tasks), tasksCreated: tasks.length }]
    }),
  )
  return {
    ...{ communityId: community.id, startsPerWeek, scheduled: started.size, skipped: homes.length - started.size },
    homes: homes.map((home): HomeStart => {
      const { template = null, startDate = null, endDate = null, tasksCreated = 0 } = started.get(home.id) ?? {}
      const reason = busy.has(home.id) ? 'has_schedule' : isStartable(home) ? 'no_template' : 'not_startable'
      return {
        ...{ homeId: home.id, name: home.name, outcome: template === null ? reason : 'scheduled' },
        ...{ taskTemplateId: template?.id ?? null, startDate, endDate, tasksCreated },
      }
    }),
  }
}

function perWeekOf({ name, archivedAt, startsPerWeekTarget }: Community, { startsPerWeek }: HomeStartsCreate): number {
  if (archivedAt !== null) throw conflict('archived', `Cannot start homes in ${name}: the community is archived.`)
  const perWeek = startsPerWeek ?? startsPerWeekTarget
  if (perWeek !== null) return perWeek
  const message = `is required because ${name} has no startsPerWeekTarget`
  throw invalid([{ pointer: '/startsPerWeek', code: 'required', message }])
}

function isStartable({ status, archivedAt }: templates.StartingHome): boolean {
  return archivedAt === null && STARTABLE.has(status)
}

/** Locks the homes and returns them in the order of their starts. */
async function homesFor(
  call: WriteCall,
  community: Community,
  homeIds: readonly string[] | undefined,
): Promise<templates.StartingHome[]> {
  if (homeIds === undefined) {
    const ready = await templates.lockReadyHomes(call, community.id, MOST_HOMES + 1)
    if (ready.length > MOST_HOMES)
      throw problem(
        'too_much_work',
        `More than ${MOST_HOMES} homes are ready to start. Set homeIds to at most ${MOST_HOMES} of them.`,
      )
    return ready.sort(byLot)
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
  if (elsewhere.length > 0) throw invalid(elsewhere)
  return homes
}

/** Chooses the template of each home. Throws if the work exceeds the limits of one request. */
async function templatesFor(
  call: WriteCall,
  homes: readonly templates.StartingHome[],
  communityId: string,
  taskTemplateId: string | undefined,
): Promise<(home: templates.StartingHome) => TaskTemplate | undefined> {
  if (taskTemplateId !== undefined) {
    const template = await namedTemplate(call, taskTemplateId)
    const size = { taskCount: template.taskCount, bytes: JSON.stringify(template.rows).length }
    assertEffort(homes.map(() => size))
    return () => template
  }
  const nearest = await templates.nearest(
    call,
    communityId,
    homes.map(({ planId }) => planId),
  )
  const chosen = homes.flatMap(({ planId }) => nearest.get(planId) ?? [])
  assertEffort(chosen)
  const found = await templates.findAll(call, [...new Set(chosen.map(({ id }) => id))])
  const byId = new Map(found.map((template) => [template.id, template]))
  return ({ planId }) => byId.get(nearest.get(planId)?.id ?? '')
}

/** Returns the template that the caller named. Throws if it does not exist. */
export async function namedTemplate(call: WriteCall, id: string): Promise<TaskTemplate> {
  const template = await templates.findOptional(call, id)
  if (template === undefined) throw unknownReference(['/taskTemplateId'])
  if (template.archivedAt !== null)
    throw conflict('archived', `Cannot use the task template ${template.name}: it is archived.`)
  return template
}

function assertEffort(sizes: readonly { taskCount: number; bytes: number }[]): void {
  const tasks = sizes.reduce((sum, { taskCount }) => sum + taskCount, 0)
  const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0)
  if (tasks <= MOST_TASKS && bytes <= MOST_BYTES) return
  const detail = `The ${sizes.length} homes would get ${formatNumber(tasks)} tasks. Set homeIds to fewer homes, with at most ${formatNumber(MOST_TASKS)} tasks in total.`
  throw problem('too_much_work', detail)
}
