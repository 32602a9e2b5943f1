import { sql } from 'kysely'
import type { OrderDrawing } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

/**
 * Returns the SQL condition for the drawings `t` that apply to a home: its own drawings and those of its plan. A
 * drawing of the home replaces that of the plan with the same sheet number. `home` and `plan` are the SQL expressions
 * for the IDs of the home and its plan.
 */
export const toHomeDrawingConditionSql = (home: string, plan: string) => `
  (t."homeId" = ${home} or (t."planId" = ${plan} and not exists (
    select from "drawings" as own where own."organizationId" = t."organizationId" and own."homeId" = ${home}
      and own."sheetNumber" = t."sheetNumber" and own."archivedAt" is null)))`

const PLAN_SQL = (home: string) =>
  `(select h."planId" from "homes" as h where h."organizationId" = t."organizationId" and h."id" = ${home})`

export const { list, find, findOptional, lock, insert, update, archive } = defineResource({
  schema: 'Drawing',
  long: ['revisions'],
  filters: { ofHome: (home) => toHomeDrawingConditionSql(home, PLAN_SQL(home)) },
})

/** Returns the current drawings of a home that vendors of a trade can see. */
export async function findDrawingsForOrder(
  { db, organizationId }: Tenant,
  { homeId, scope }: { homeId: string; scope: string },
): Promise<OrderDrawing[]> {
  const { rows } = await sql<OrderDrawing>`
    select t."id" as "drawingId", t."sheetNumber", t."currentRevision" as "revision", t."revisions"->0->>'label' as "label"
    from "drawings" as t
    join "homes" as h on h."organizationId" = t."organizationId" and h."id" = ${homeId}
    where t."organizationId" = ${organizationId} and t."archivedAt" is null and t."currentRevision" is not null
      and (t."scopes" = '{}' or lower(${scope}) in (select lower(s) from unnest(t."scopes") as s))
      and ${sql.raw(toHomeDrawingConditionSql('h."id"', 'h."planId"'))}
    order by t."sheetNumber", t."id" limit 200`.execute(db)
  return rows
}
