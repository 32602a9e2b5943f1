import { CompiledQuery, sql } from 'kysely'
import type {
  FieldHome,
  FieldInspection,
  FieldLog,
  FieldPunchItem,
  FieldTask,
  FieldTrade,
  FieldVendor,
  FieldVisit,
  FieldWalkthrough,
  Task,
} from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { FINISHED_STATUSES } from '../../land/home-statuses.ts'
import { toSuperintendentHomesSql } from '../../land/superintendents.ts'
import type { ListedItem } from '../walkthroughs/walkthrough.ts'

/** A list with limits on the number of rows and of bytes. */
export interface LimitedList<Row> {
  rows: Row[]
  /** Whether rows were omitted. */
  isTruncated: boolean
}

export interface ListLimits {
  rows: number
  /** The size of the rows as JSON text. */
  bytes: number
}

/**
 * Returns the first rows of a query, up to the limits. The query must return each row as a JSON object `item` and its
 * position as `n`. The database measures the rows, so that no row beyond the limits is transferred or parsed.
 */
async function listWithin<Row>(
  { db }: Tenant,
  statement: string,
  values: readonly unknown[],
  limits: ListLimits,
): Promise<LimitedList<Row>> {
  const text = `
    select coalesce(jsonb_agg(s."item" order by s."n") filter (where s."n" <= ${limits.rows} and s."bytes" <= ${limits.bytes}), '[]') as "rows",
      count(*)::integer as "found"
    from (select r."item", r."n", sum(octet_length(r."item"::text)) over (order by r."n") as "bytes"
      from (${statement} order by "n" limit ${limits.rows + 1}) as r) as s`
  const { rows: found } = await db.executeQuery<{ rows: Row[]; found: number }>(
    CompiledQuery.raw(text, values as unknown[]),
  )
  const rows = found[0]?.rows ?? []
  return { rows, isTruncated: rows.length < (found[0]?.found ?? 0) }
}

/** Returns SQL for a JSON object with the given columns of a table row. */
const objectSql = (row: string, fields: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  `jsonb_build_object(${[
    ...fields.map((field) => `'${field}', ${row}."${field}"`),
    ...Object.entries(more).map(([field, value]) => `'${field}', ${value}`),
  ].join(', ')})`

const FINISHED_SQL = FINISHED_STATUSES.map((status) => `'${status}'`).join(', ')

/** Returns the unfinished homes of the superintendent. Homes under construction are first. */
export function listFieldHomes(
  call: Tenant,
  superintendentId: string,
  limits: ListLimits,
): Promise<LimitedList<Omit<FieldHome, 'trades'>>> {
  const item = objectSql('h', ['id', 'name', 'communityId', 'address', 'status'], {
    communityName: 'c."name"',
    timeZone: 'c."timeZone"',
  })
  const statement = `
    select ${item} as "item", row_number() over (order by h."status" <> 'under_construction', c."name", h."name", h."id") as "n"
    from "homes" as h
    join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where h."organizationId" = $1 and h."id" = any(array(${toSuperintendentHomesSql('$2')}))
      and h."archivedAt" is null and h."status" not in (${FINISHED_SQL})`
  return listWithin(call, statement, [call.organizationId, superintendentId], limits)
}

/** A task with its links, from which `waitsFor` is computed. */
export type StoredFieldTask = Omit<FieldTask, 'waitsFor'> & Pick<Task, 'predecessors'>

/**
 * Returns the open tasks that start on or before a date, sorted by start date, followed by the tasks that were
 * completed since another date.
 */
export function listTasks(
  call: Tenant,
  { homeIds, until, completedSince }: { homeIds: readonly string[]; until: string; completedSince: string },
  limits: ListLimits,
): Promise<LimitedList<StoredFieldTask>> {
  const fields = [
    ...['id', 'homeId', 'name', 'scope', 'taskKind', 'vendorId', 'status', 'plannedStart', 'plannedEnd', 'actualStart'],
    ...['actualEnd', 'isCritical', 'confirmationStatus', 'checklist', 'inspectionResult', 'predecessors', 'version'],
  ]
  const statement = `
    select ${objectSql('t', fields)} as "item",
      row_number() over (order by t."status" = 'completed', t."plannedStart", t."sequence", t."id") as "n"
    from (
      select * from "tasks" where "organizationId" = $1 and "homeId" = any($2) and "archivedAt" is null
        and "status" in ('not_started', 'in_progress', 'on_hold') and "plannedStart" <= $3
      union all
      select * from "tasks" where "organizationId" = $1 and "homeId" = any($2) and "archivedAt" is null
        and "status" = 'completed' and "actualEnd" >= $4) as t`
  return listWithin(call, statement, [call.organizationId, homeIds, until, completedSince], limits)
}

/** The fields of a predecessor that determine whether its successors can start. */
export type PredecessorTask = Pick<
  Task,
  'id' | 'name' | 'scope' | 'status' | 'inspectionResult' | 'releasedScopes' | 'predecessors'
>

export async function listFieldPredecessors(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<PredecessorTask[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<PredecessorTask>`
    select t."id", t."name", t."scope", t."status", t."inspectionResult", t."releasedScopes", t."predecessors"
    from "tasks" as t where t."organizationId" = ${organizationId} and t."id" = any(${ids})`.execute(db)
  return rows
}

/** Returns the vendor of the newest issued order for each trade of the homes. */
export function listFieldTrades(
  call: Tenant,
  homeIds: readonly string[],
  limits: ListLimits,
): Promise<LimitedList<FieldTrade & { homeId: string }>> {
  const statement = `
    select ${objectSql('o', ['homeId', 'scope', 'vendorId'])} as "item", row_number() over (order by o."homeId", o."scope") as "n"
    from (
      select distinct on (p."homeId", lower(p."scope")) p."homeId", p."scope", p."vendorId"
      from "purchaseOrders" as p
      join "vendors" as v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
      where p."organizationId" = $1 and p."homeId" = any($2) and p."poType" <> 'backcharge' and v."archivedAt" is null
        and p."status" in ('issued', 'accepted', 'partially_completed', 'completed', 'closed')
      order by p."homeId", lower(p."scope"), p."id" desc) as o`
  return listWithin(call, statement, [call.organizationId, homeIds], limits)
}

/** Returns the requested and scheduled inspections of the homes, sorted by date. */
export function listFieldInspections(
  call: Tenant,
  homeIds: readonly string[],
  limits: ListLimits,
): Promise<LimitedList<FieldInspection>> {
  const fields = [
    ...['id', 'homeId', 'taskId', 'name', 'authority', 'attempt', 'status', 'scheduledDate', 'window', 'inspectorName'],
    'version',
  ]
  const items = `(
    select coalesce(jsonb_agg(jsonb_build_object('itemId', e."value"->'itemId', 'text', e."value"->'text',
      'note', e."value"->'note', 'scope', e."value"->'scope', 'vendorId', e."value"->'vendorId') order by e."place"), '[]')
    from jsonb_array_elements(i."items") with ordinality as e ("value", "place"))`
  const statement = `
    select ${objectSql('i', fields, { items })} as "item", row_number() over (order by i."scheduledOrder", i."id") as "n"
    from "inspections" as i
    where i."organizationId" = $1 and i."homeId" = any($2) and i."status" in ('requested', 'scheduled')`
  return listWithin(call, statement, [call.organizationId, homeIds], limits)
}

/** Returns the unverified punch items of the homes, sorted by due date. */
export function listFieldPunchItems(
  call: Tenant,
  homeIds: readonly string[],
  limits: ListLimits,
): Promise<LimitedList<FieldPunchItem>> {
  const fields = [
    ...['id', 'number', 'homeId', 'location', 'scope', 'description', 'priority', 'status', 'vendorId', 'dueDate'],
    'disputeNote',
  ]
  const statement = `
    select ${objectSql('p', fields)} as "item", row_number() over (order by p."dueDate" nulls last, p."id") as "n"
    from "punchItems" as p
    where p."organizationId" = $1 and p."homeId" = any($2) and p."status" in ('open', 'assigned', 'fixed')`
  return listWithin(call, statement, [call.organizationId, homeIds], limits)
}

/** Open walkthrough with the items that its list contains. */
export interface StoredFieldWalkthrough extends Omit<FieldWalkthrough, 'list'> {
  homeName: string
  items: ListedItem[]
}

/** Returns the open walkthroughs of the homes with their items, by date. */
export function listFieldWalkthroughs(
  call: Tenant,
  { homeIds, until }: { homeIds: readonly string[]; until: string },
  limits: ListLimits,
): Promise<LimitedList<StoredFieldWalkthrough>> {
  const items = `(
    select coalesce(jsonb_agg(${objectSql('i', ['number', 'location', 'description', 'status'])}
      order by length(i."number"), i."number"), '[]')
    from "punchItems" as i where i."organizationId" = $1 and i."walkthroughId" = w."id")`
  const item = objectSql('w', ['id', 'homeId', 'kind', 'date', 'version'], { homeName: 'h."name"', items })
  const statement = `
    select ${item} as "item", row_number() over (order by w."date", w."id") as "n"
    from "walkthroughs" as w
    join "homes" as h on h."organizationId" = w."organizationId" and h."id" = w."homeId"
    where w."organizationId" = $1 and w."homeId" = any($2) and w."status" = 'open' and w."date" <= $3`
  return listWithin(call, statement, [call.organizationId, homeIds, until], limits)
}

/** Returns upcoming visits to the superintendent's homes or by the superintendent, including finished visits. */
export function listFieldVisits(
  call: Tenant,
  { superintendentId, from, to }: { superintendentId: string; from: string; to: string },
  limits: ListLimits,
): Promise<LimitedList<FieldVisit>> {
  const item = objectSql('v', ['id', 'homeId', 'date', 'window', 'status', 'vendorId', 'notes'], {
    homeName: 'h."name"',
    address: 'h."address"',
  })
  const statement = `
    select ${item} as "item", row_number() over (order by v."date", v."id") as "n"
    from "visits" as v
    join "homes" as h on h."organizationId" = v."organizationId" and h."id" = v."homeId"
    where v."organizationId" = $1 and v."date" between $3 and $4 and v."status" in ('proposed', 'confirmed')
      and (v."assigneeUserId" = $2 or v."homeId" = any(array(${toSuperintendentHomesSql('$2')})))`
  return listWithin(call, statement, [call.organizationId, superintendentId, from, to], limits)
}

/** Returns the daily logs of the homes on the given days, newest first. */
export function listFieldLogs(
  call: Tenant,
  { homeIds, from, to }: { homeIds: readonly string[]; from: string; to: string },
  limits: ListLimits,
): Promise<LimitedList<FieldLog>> {
  const fields = ['id', 'homeId', 'logDate', 'status', 'weather', 'workDone', 'version']
  const item = objectSql('l', fields, {
    crewCount: 'jsonb_array_length(l."crews")',
    editableUntil: `to_char(l."editableUntil" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  })
  const statement = `
    select ${item} as "item", row_number() over (order by l."logDate" desc, l."id") as "n"
    from "dailyLogs" as l
    where l."organizationId" = $1 and l."homeId" = any($2) and l."logDate" between $3 and $4`
  return listWithin(call, statement, [call.organizationId, homeIds, from, to], limits)
}

/** Returns the vendors with the given IDs. */
export function listFieldVendors(
  call: Tenant,
  ids: readonly string[],
  limits: ListLimits,
): Promise<LimitedList<FieldVendor>> {
  const statement = `
    select ${objectSql('v', ['id', 'companyName', 'contactName', 'phone'])} as "item", row_number() over (order by v."id") as "n"
    from "vendors" as v where v."organizationId" = $1 and v."id" = any($2)`
  return listWithin(call, statement, [call.organizationId, ids], limits)
}
