import { sql } from 'kysely'
import type { OptionTakeoffLine } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { LineWithPart } from './queries.ts'

export async function listOptionLines({ db, organizationId }: Tenant, optionId: string): Promise<OptionTakeoffLine[]> {
  const { rows } = await sql<OptionTakeoffLine>`
    select "lineId", "elevation", "partId", "quantity", "formula", "wastePercent", "costCodeId", "taskName", "planId"
    from "optionTakeoffLines"
    where "organizationId" = ${organizationId} and "optionId" = ${optionId}
    order by "place"`.execute(db)
  return rows
}

/** Returns the lines of these options that apply to a home with the given plan and elevation. */
export async function listOptionLinesWithParts(
  { db, organizationId }: Tenant,
  optionIds: readonly string[],
  { planId, elevation, limit }: { planId: string; elevation: string | null; limit: number },
): Promise<(LineWithPart & OptionTakeoffLine & { optionId: string })[]> {
  const { rows } = await sql<LineWithPart & OptionTakeoffLine & { optionId: string }>`
    select t."optionId", t."lineId", t."planId", t."elevation", t."partId", t."quantity", t."formula", t."wastePercent",
      t."costCodeId", t."taskName", p."sku", p."name", p."unit", p."scope", p."costCodeId" as "partCostCodeId"
    from "optionTakeoffLines" t
    join "parts" p on p."organizationId" = t."organizationId" and p."id" = t."partId"
    where t."organizationId" = ${organizationId} and t."optionId" = any(${[...optionIds]}::text[])
      and (t."planId" is null or (t."planId" = ${planId} and (t."elevation" is null or t."elevation" = ${elevation})))
    order by t."optionId", t."place" limit ${limit + 1}`.execute(db)
  return rows
}

export async function replaceOptionLines(
  { db, organizationId }: WriteCall,
  optionId: string,
  lines: readonly OptionTakeoffLine[],
): Promise<void> {
  await sql`
    delete from "optionTakeoffLines"
    where "organizationId" = ${organizationId} and "optionId" = ${optionId}`.execute(db)
  if (lines.length === 0) return
  await sql`
    insert into "optionTakeoffLines" ("organizationId", "optionId", "place", "lineId", "planId", "elevation", "partId",
      "quantity", "formula", "wastePercent", "costCodeId", "taskName")
    select o."id", ${optionId}::text, l."place", l."lineId", l."planId", l."elevation", l."partId",
      l."quantity", l."formula", l."wastePercent", l."costCodeId", l."taskName"
    from "organizations" as o cross join unnest(
      ${lines.map((line) => line.lineId)}::text[], ${lines.map((line) => line.planId)}::text[],
      ${lines.map((line) => line.elevation)}::text[], ${lines.map((line) => line.partId)}::text[],
      ${lines.map((line) => line.quantity)}::numeric[], ${lines.map((line) => line.formula)}::text[],
      ${lines.map((line) => line.wastePercent)}::numeric[], ${lines.map((line) => line.costCodeId)}::text[],
      ${lines.map((line) => line.taskName)}::text[]
    ) with ordinality as l ("lineId", "planId", "elevation", "partId", "quantity", "formula", "wastePercent",
      "costCodeId", "taskName", "place")
    where o."id" = ${organizationId}`.execute(db)
}
