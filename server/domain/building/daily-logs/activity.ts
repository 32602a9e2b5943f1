/** The maximum number of entries of each kind in the API contract. */
const MAX_ENTRIES = 50

/** Returns SQL for a JSON list of the tasks `k` of the log's home that meet a condition. */
const tasksSql = (condition: string) => `
  select coalesce(jsonb_agg(jsonb_build_object('taskId', f."id", 'name', f."name", 'vendorId', f."vendorId") order by f."id"), '[]')
  from (select k."id", k."name", k."vendorId" from "tasks" as k
    where k."organizationId" = t."organizationId" and k."homeId" = t."homeId" and k."archivedAt" is null and ${condition}
    order by k."id" limit ${MAX_ENTRIES}) as f`

/**
 * Returns the SQL condition that a time is on the day of the log in the time zone of its community, even if the day has
 * 23 or 25 hours.
 */
const isOnDaySql = (at: string) => `${at} >= t."dayStart" and ${at} < t."dayEnd"`

/** SQL expression for the data that other records contain for the day of the log `t`. */
export const CURRENT_ACTIVITY_SQL = `
  jsonb_build_object(
    'tasksStarted', (${tasksSql(`k."actualStart" = t."logDate"`)}),
    'tasksCompleted', (${tasksSql(`k."actualEnd" = t."logDate" and k."status" = 'completed'`)}),
    'delays', (
      select coalesce(jsonb_agg(jsonb_build_object('taskId', f."id", 'name', f."name", 'reasonCode', f."delay"->>'reasonCode',
        'days', (f."delay"->>'days')::integer) order by f."id"), '[]')
      from (select k."id", k."name", d."delay" from "tasks" as k, jsonb_array_elements(k."delays") as d ("delay")
        where k."organizationId" = t."organizationId" and k."homeId" = t."homeId" and k."archivedAt" is null
          and ${isOnDaySql(`(d."delay"->>'at')::timestamptz`)}
        order by k."id" limit ${MAX_ENTRIES}) as f),
    'inspections', (
      select coalesce(jsonb_agg(jsonb_build_object('inspectionId', f."id", 'name', f."name", 'status', f."status",
        'result', f."result") order by f."id"), '[]')
      from (select i."id", i."name", i."status", i."result" from "inspections" as i
        where i."organizationId" = t."organizationId" and i."homeId" = t."homeId" and i."status" <> 'cancelled'
          and coalesce(i."completedDate", i."scheduledDate") = t."logDate"
        order by i."id" limit ${MAX_ENTRIES}) as f),
    'deliveriesPlanned', (${tasksSql(`k."taskKind" = 'delivery' and k."plannedStart" = t."logDate"`)}),
    'ownHours', (
      select coalesce(sum(e."hours"), 0) from "timeEntries" as e
      where e."organizationId" = t."organizationId" and e."homeId" = t."homeId" and e."date" = t."logDate"
        and e."archivedAt" is null),
    'photoCount', (
      select count(*) from "attachments" as a
      where a."organizationId" = t."organizationId" and a."homeId" = t."homeId" and a."kind" = 'photo'
        and a."archivedAt" is null and ${isOnDaySql(`coalesce(a."takenAt", a."createdAt")`)})
  )`

/**
 * SQL expression for the activity of a log. For a locked log, this is the activity that was stored when the log was
 * locked.
 */
export const ACTIVITY_SQL = `coalesce(t."frozenActivity", ${CURRENT_ACTIVITY_SQL})`
