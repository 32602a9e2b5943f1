import { sql } from 'kysely'
import type { Part, TakeoffLine } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'

export async function listTakeoffLines(
  { db, organizationId }: Tenant,
  planId: string,
  revision: number,
): Promise<TakeoffLine[]> {
  const { rows } = await sql<TakeoffLine>`
    select "lineId", "elevation", "partId", "quantity", "formula", "wastePercent", "costCodeId", "taskName"
    from "takeoffLines"
    where "organizationId" = ${organizationId} and "planId" = ${planId} and "revision" = ${revision}
    order by "place"`.execute(db)
  return rows
}

/** A line, with the fields of its part that are required to compute quantities and costs. */
export interface LineWithPart extends TakeoffLine, Pick<Part, 'sku' | 'name' | 'unit' | 'scope'> {
  partCostCodeId: string | null
}

/** Returns the lines that apply to all elevations of the plan, and the lines of one elevation. */
export async function listTakeoffLinesWithParts(
  { db, organizationId }: Tenant,
  planId: string,
  revision: number,
  elevation: string | null,
): Promise<LineWithPart[]> {
  const { rows } = await sql<LineWithPart>`
    select t."lineId", t."elevation", t."partId", t."quantity", t."formula", t."wastePercent", t."costCodeId", t."taskName",
      p."sku", p."name", p."unit", p."scope", p."costCodeId" as "partCostCodeId"
    from "takeoffLines" t
    join "parts" p on p."organizationId" = t."organizationId" and p."id" = t."partId"
    where t."organizationId" = ${organizationId} and t."planId" = ${planId} and t."revision" = ${revision}
      and (t."elevation" is null or t."elevation" = ${elevation})
    order by t."place"`.execute(db)
  return rows
}

/** Replaces all lines of the revision. */
export async function replaceTakeoffLines(
  { db, organizationId }: WriteCall,
  planId: string,
  revision: number,
  lines: readonly TakeoffLine[],
): Promise<void> {
  await sql`
    delete from "takeoffLines"
    where "organizationId" = ${organizationId} and "planId" = ${planId} and "revision" = ${revision}`.execute(db)
  if (lines.length === 0) return
  await sql`
    insert into "takeoffLines" ("organizationId", "planId", "revision", "place", "lineId", "elevation", "partId",
      "quantity", "formula", "wastePercent", "costCodeId", "taskName")
    select o."id", ${planId}::text, ${revision}::integer, l."place", l."lineId", l."elevation", l."partId",
      l."quantity", l."formula", l."wastePercent", l."costCodeId", l."taskName"
    from "organizations" as o cross join unnest(
      ${lines.map((line) => line.lineId)}::text[], ${lines.map((line) => line.elevation)}::text[],
      ${lines.map((line) => line.partId)}::text[], ${lines.map((line) => line.quantity)}::numeric[],
      ${lines.map((line) => line.formula)}::text[], ${lines.map((line) => line.wastePercent)}::numeric[],
      ${lines.map((line) => line.costCodeId)}::text[], ${lines.map((line) => line.taskName)}::text[]
    ) with ordinality as l ("lineId", "elevation", "partId", "quantity", "formula", "wastePercent", "costCodeId",
      "taskName", "place")
    where o."id" = ${organizationId}`.execute(db)
}

/** Returns the given IDs that belong to active parts or active cost codes. */
export async function findActiveReferenceIds(
  { db, organizationId }: Tenant,
  table: 'parts' | 'costCodes',
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "id" = any(${[...new Set(ids)]}::text[]) and "archivedAt" is null`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}
