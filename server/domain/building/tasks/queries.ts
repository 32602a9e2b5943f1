import { sql } from 'kysely'
import type { Community, Home, OrganizationSettings, PurchaseOrder, Task } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { toSelectColumnsSql } from '../../../platform/resources/columns.ts'
import { resolveColumns } from '../../../platform/resources/declaration.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { toSuperintendentHomesSql } from '../../land/superintendents.ts'
import type { TaskDates } from '../schedule/schedule-tasks.ts'

// Must match the condition of the indexes tasks_open and tasks_openInCommunity.
const IS_OPEN_SQL = `t."status" in ('not_started', 'in_progress', 'on_hold')`

const rows = defineResource({
  schema: 'Task',
  long: ['predecessors', 'checklist', 'delays'],
  filters: {
    // Compare with the organization's spelling, so that the database can use the index on the trade.
    scope: (scope) =>
      `t."scope" = (select s."name" from "scopes" as s where s."organizationId" = $1 and lower(s."name") = lower(${scope}) and s."archivedAt" is null)`,
    confirmationStatus: (status) => `t."confirmationStatus" = ${status}`,
    superintendentId: (user) => `t."homeId" = any(array(${toSuperintendentHomesSql(user)}))`,
    plannedStartFrom: (date) => `t."plannedStart" >= ${date}`,
    plannedStartTo: (date) => `t."plannedStart" <= ${date} and ${IS_OPEN_SQL}`,
    lateOn: (date) =>
      `${IS_OPEN_SQL} and t."plannedStart" < ${date} and (t."actualStart" is null or t."plannedEnd" < ${date})`,
  },
})

export const {
  list,
  find,
  findAll,
  findOptional,
  lock,
  assertExist,
  insert,
  make,
  insertAll,
  update,
  updateAll,
  archive,
} = rows

const TASK_COLUMNS = sql.raw(toSelectColumnsSql(resolveColumns({ schema: 'Task', table: 'tasks' })))

/** Returns all tasks of the home in the order in which they were added, except archived tasks. */
export async function listTasksOfHome({ db, organizationId }: Tenant, homeId: string): Promise<Task[]> {
  const { rows } = await sql<Task>`
    select ${TASK_COLUMNS} from "tasks" as t
    where t."organizationId" = ${organizationId} and t."homeId" = ${homeId} and t."archivedAt" is null
    order by t."id"`.execute(db)
  return rows
}

/** The fields of a home that affect its schedule, and the calendar of its community. */
export type ScheduledHome = Pick<Home, 'id' | 'name' | 'communityId' | 'status' | 'archivedAt'> &
  Pick<Home, 'forecastCompletionDate' | 'percentComplete' | 'planId' | 'planRevision' | 'elevation'> &
  Pick<Community, 'timeZone' | 'workdays' | 'holidays'> &
  Pick<OrganizationSettings, 'usesDataDate'> & {
    /**
     * The day on which the schedule was last changed; null if there is none, or if the organization does not use a data
     * date.
     */
    dataDate: string | null
  }

export type HomeOrTask = { homeId: string; taskId?: undefined } | { taskId: string; homeId?: undefined }

/** Returns the home with this ID, or the home to which the task belongs. */
export function findHome(call: Tenant, homeOrTask: HomeOrTask): Promise<ScheduledHome | undefined> {
  return findScheduledHome(call, homeOrTask, sql``)
}

/**
 * Like findHome, but locks the home until the transaction ends. Every change of a schedule locks the home first, so
 * that changes of a schedule are never concurrent.
 */
export function lockHome(call: WriteCall, homeOrTask: HomeOrTask): Promise<ScheduledHome | undefined> {
  return findScheduledHome(call, homeOrTask, sql`for no key update of h`)
}

async function findScheduledHome(
  { db, organizationId }: Tenant,
  { homeId, taskId }: HomeOrTask,
  locking: ReturnType<typeof sql>,
): Promise<ScheduledHome | undefined> {
  const id =
    taskId === undefined
      ? sql`${homeId}`
      : sql`(select t."homeId" from "tasks" as t where t."organizationId" = ${organizationId} and t."id" = ${taskId})`
  const { rows } = await sql<ScheduledHome>`
    select h."id", h."name", h."communityId", h."status", h."archivedAt", h."forecastCompletionDate", h."percentComplete",
      h."planId", h."planRevision", h."elevation", h."dataDate", c."timeZone", c."workdays", c."holidays", o."usesDataDate"
    from "homes" as h join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
      join "organizations" as o on o."id" = ${organizationId}
    where h."organizationId" = ${organizationId} and h."id" = ${id} ${locking}`.execute(db)
  return rows[0]
}

/** Returns the IDs, in order, of the community's homes that have unfinished tasks and whose schedules can change. */
export async function listHomesWithOpenTasks(
  { db, organizationId }: Tenant,
  communityId: string,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct t."homeId" as "id"
    from "tasks" as t join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"
    where t."organizationId" = ${organizationId} and t."communityId" = ${communityId} and ${sql.raw(IS_OPEN_SQL)}
      and t."archivedAt" is null and h."archivedAt" is null and h."status" <> 'cancelled'
    order by t."homeId" limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Returns the calendar of a community. To read the current calendar, lock the home first: a change of the calendar
 * locks the homes after it has updated the calendar.
 */
export async function readCalendar(
  { db, organizationId }: Tenant,
  communityId: string,
): Promise<Pick<Community, 'timeZone' | 'workdays' | 'holidays'>> {
  const { rows } = await sql<Pick<Community, 'timeZone' | 'workdays' | 'holidays'>>`
    select "timeZone", "workdays", "holidays" from "communities"
    where "organizationId" = ${organizationId} and "id" = ${communityId}`.execute(db)
  const [calendar] = rows
  if (calendar === undefined) throw new Error(`Expected the community ${communityId} to exist.`)
  return calendar
}

/**
 * Locks the calendar of a community, or of a home's community, until the transaction ends. A change that creates a
 * schedule must lock the calendar before the home, because a concurrent change of the calendar reschedules only homes
 * that already have open tasks.
 */
export async function lockCalendar(
  { db, organizationId }: WriteCall,
  of: { communityId: string; homeId?: undefined } | { homeId: string; communityId?: undefined },
): Promise<void> {
  const id =
    of.homeId === undefined
      ? sql`${of.communityId}`
      : sql`(select h."communityId" from "homes" as h where h."organizationId" = ${organizationId} and h."id" = ${of.homeId})`
  await sql`
    select from "communities" as c where c."organizationId" = ${organizationId} and c."id" = ${id} for share of c`.execute(
    db,
  )
}

/** The fields of other tasks that a change of one task sets. */
export type CascadedDates = TaskDates & Pick<Task, 'notifiedStart' | 'notifiedAt' | 'confirmation'>

/** Stores the effects of a change of one task on the other tasks. The home must be locked. */
export async function updateTaskDates(
  { db, organizationId, now }: WriteCall,
  tasks: readonly (CascadedDates & { id: string })[],
): Promise<void> {
  const of = <Field extends keyof (CascadedDates & { id: string })>(field: Field) => tasks.map((task) => task[field])
  await sql`
    update "tasks" as t set "plannedStart" = r."plannedStart", "plannedEnd" = r."plannedEnd",
      "earlyStart" = r."earlyStart", "earlyFinish" = r."earlyFinish", "lateStart" = r."lateStart",
      "lateFinish" = r."lateFinish", "totalFloatDays" = r."totalFloatDays", "isCritical" = r."isCritical",
      "notifiedStart" = r."notifiedStart", "notifiedAt" = r."notifiedAt", "confirmation" = r."confirmation",
      "version" = t."version" + 1, "updatedAt" = ${now.toISOString()}
    from unnest(${of('id')}::text[], ${of('plannedStart')}::date[], ${of('plannedEnd')}::date[],
      ${of('earlyStart')}::date[], ${of('earlyFinish')}::date[], ${of('lateStart')}::date[], ${of('lateFinish')}::date[],
      ${of('totalFloatDays')}::integer[], ${of('isCritical')}::boolean[], ${of('notifiedStart')}::date[],
      ${of('notifiedAt')}::timestamptz[], ${tasks.map(({ confirmation }) => JSON.stringify(confirmation))}::jsonb[])
      as r ("id", "plannedStart", "plannedEnd", "earlyStart", "earlyFinish", "lateStart", "lateFinish",
        "totalFloatDays", "isCritical", "notifiedStart", "notifiedAt", "confirmation")
    where t."organizationId" = ${organizationId} and t."id" = r."id"`.execute(db)
}

/** Sets the baseline of the tasks to their planned dates. The home must be locked. */
export async function storeBaseline(call: WriteCall, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    update "tasks" set "baselineStart" = "plannedStart", "baselineEnd" = "plannedEnd", "version" = "version" + 1,
      "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]}::text[])`.execute(call.db)
  for (const id of ids) recordChange(call, id, 'updated', ['baselineStart', 'baselineEnd'])
}

/**
 * The maximum number of orders and parts that are shown for a task. A task typically has one or two orders and a few
 * dozen parts.
 */
const MAX_SHOWN = 50

export type TaskOrder = Pick<PurchaseOrder, 'id' | 'number' | 'status' | 'issuedAt'>

/**
 * Returns the purchase orders that the task refers to. If the task refers to no orders, returns the home's orders for
 * the trade of the task and, if the task has a vendor, for that vendor.
 */
export async function listOrdersOfTask({ db, organizationId }: Tenant, task: Task): Promise<TaskOrder[]> {
  const isFor =
    task.poIds.length > 0
      ? sql`"id" = any(${task.poIds}::text[])`
      : sql`lower("scope") = lower(${task.scope}) and (${task.vendorId}::text is null or "vendorId" = ${task.vendorId})`
  const { rows } = await sql<TaskOrder>`
    select "id", "number", "status", "issuedAt" from "purchaseOrders"
    where "organizationId" = ${organizationId} and "homeId" = ${task.homeId} and ${isFor}
      and "status" not in ('void', 'declined')
    order by "id" limit ${MAX_SHOWN}`.execute(db)
  return rows
}

/** Returns the parts with a lead time that the home's plan assigns to tasks with this name, longest lead time first. */
export async function listLongLeadParts(
  { db, organizationId }: Tenant,
  { planId, planRevision, elevation }: ScheduledHome,
  taskName: string,
): Promise<{ id: string; name: string; leadTimeDays: number }[]> {
  const { rows } = await sql<{ id: string; name: string; leadTimeDays: number }>`
    select distinct p."id", p."name", p."leadTimeDays"
    from "takeoffLines" as l join "parts" as p on p."organizationId" = l."organizationId" and p."id" = l."partId"
    where l."organizationId" = ${organizationId} and l."planId" = ${planId} and l."revision" = ${planRevision}
      and (l."elevation" is null or l."elevation" = ${elevation}) and l."taskName" = ${taskName} and p."leadTimeDays" > 0
    order by p."leadTimeDays" desc, p."id" limit ${MAX_SHOWN}`.execute(db)
  return rows
}
