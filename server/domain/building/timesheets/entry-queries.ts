import { sql } from 'kysely'
import type { TimeEntry } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { toSelectColumnsSql } from '../../../platform/resources/columns.ts'
import { resolveColumns } from '../../../platform/resources/declaration.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

export const {
  list: listWithRates,
  find,
  findAll,
  insert,
  update,
  updateAll,
  archive,
} = defineResource({ schema: 'TimeEntry' })

/** Lists entries for callers without access to wages. */
export const { list: listWithoutRates } = defineResource({
  schema: 'TimeEntry',
  computed: { rate: 'null::numeric', cost: 'null::numeric' },
})

const ENTRY_COLUMNS = sql.raw(toSelectColumnsSql(resolveColumns({ schema: 'TimeEntry', table: 'timeEntries' })))

/** Returns the entries of a timesheet in the order in which they were added, except archived entries. */
export async function listEntriesOfTimesheet(
  { db, organizationId }: Tenant,
  timesheetId: string,
): Promise<TimeEntry[]> {
  const { rows } = await sql<TimeEntry>`
    select ${ENTRY_COLUMNS} from "timeEntries" as t
    where t."organizationId" = ${organizationId} and t."timesheetId" = ${timesheetId} and t."archivedAt" is null
    order by t."id"`.execute(db)
  return rows
}

/** Returns the current entry of a user who is clocked in. */
export async function findRunningEntry({ db, organizationId }: Tenant, userId: string): Promise<TimeEntry | undefined> {
  const { rows } = await sql<TimeEntry>`
    select ${ENTRY_COLUMNS} from "timeEntries" as t
    where t."organizationId" = ${organizationId} and t."userId" = ${userId} and t."startedAt" is not null
      and t."endedAt" is null and t."archivedAt" is null`.execute(db)
  return rows[0]
}

export interface WorkSpan {
  userId: string
  startedAt: string
  endedAt: string
  now: string
  /** The ID of the entry that is being changed, which is ignored; null for a new entry. */
  except: string | null
}

/**
 * Returns an entry of the user that overlaps the span. An entry that has not ended lasts until now. No entry is longer
 * than a day, so the query reads only a few rows.
 */
export async function findOverlappingEntry(
  { db, organizationId }: Tenant,
  { userId, startedAt, endedAt, now, except }: WorkSpan,
): Promise<{ startedAt: string; endedAt: string | null } | undefined> {
  const own = sql`"organizationId" = ${organizationId} and "userId" = ${userId} and "archivedAt" is null
    and "id" is distinct from ${except}::text`
  const { rows } = await sql<{ startedAt: string; endedAt: string | null }>`
    select "startedAt", "endedAt" from "timeEntries"
    where ${own} and "endedAt" > ${startedAt} and "startedAt" < ${endedAt}
      and "startedAt" >= ${startedAt}::timestamptz - interval '24 hours'
    union all
    select "startedAt", "endedAt" from "timeEntries"
    where ${own} and "startedAt" is not null and "endedAt" is null and "startedAt" < ${endedAt}
      and ${startedAt}::timestamptz < ${now}::timestamptz
    order by 1 limit 1`.execute(db)
  return rows[0]
}

/** Returns the total hours of the user's other entries on a date, in all timesheets. */
export async function sumHoursOnDate(
  { db, organizationId }: Tenant,
  { userId, date, except }: { userId: string; date: string; except: string | null },
): Promise<number> {
  const { rows } = await sql<{ hours: number }>`
    select coalesce(sum("hours"), 0) as "hours" from "timeEntries"
    where "organizationId" = ${organizationId} and "userId" = ${userId} and "date" = ${date} and "archivedAt" is null
      and "id" is distinct from ${except}::text`.execute(db)
  return rows[0]?.hours ?? 0
}

/** The fields of a home that its time entries use. */
export interface HomeWithTimeZone {
  id: string
  name: string
  archivedAt: string | null
  timeZone: string
}

export async function findHomeWithTimeZone(
  { db, organizationId }: Tenant,
  homeId: string,
): Promise<HomeWithTimeZone | undefined> {
  const { rows } = await sql<HomeWithTimeZone>`
    select h."id", h."name", h."archivedAt", c."timeZone" from "homes" h
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where h."organizationId" = ${organizationId} and h."id" = ${homeId}`.execute(db)
  return rows[0]
}

/**
 * Returns the trade of the home's budget line with the cost code. If there is no such line, returns the trade whose
 * default is the cost code.
 */
export async function findTradeByCostCode(
  { db, organizationId }: Tenant,
  homeId: string | null,
  costCodeId: string,
): Promise<string | null> {
  const { rows } = await sql<{ scope: string | null }>`
    select coalesce(
      (select b."scope" from "budgetLines" b
        where b."organizationId" = ${organizationId} and b."homeId" = ${homeId} and b."costCodeId" = ${costCodeId}
          and b."archivedAt" is null
        order by b."id" limit 1),
      (select s."name" from "scopes" s
        where s."organizationId" = ${organizationId} and s."defaultCostCodeId" = ${costCodeId}
          and s."archivedAt" is null
        order by s."id" limit 1)) as "scope"`.execute(db)
  return rows[0]?.scope ?? null
}
