import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { BudgetLine } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../http/call.ts'

/** A budget line estimated from a takeoff line. */
export interface EstimatedLine extends Pick<BudgetLine, 'scope' | 'costCodeId'> {
  takeoffLineId: string
  partId: string
  priceId: string
  description: string
  quantity: number
  unit: string
  unitCost: number
  amount: number
}

const FIGURES = sql.raw(
  ['scope', 'costCodeId', 'partId', 'priceId', 'description', 'quantity', 'unit', 'unitCost', 'originalAmount']
    .map((name) => `"${name}"`)
    .join(', '),
)

/**
 * Replaces the previous estimate. A takeoff line keeps its budget line, which orders may refer to; a line with the same
 * figures is left untouched, and one that no longer exists is removed from the budget.
 */
export async function replaceEstimate(
  { db, organizationId, actor, now }: WriteCall,
  homeId: string,
  lines: readonly EstimatedLine[],
): Promise<{ added: number; changed: number; removed: number }> {
  const { numAffectedRows: removed = 0n } = await sql`
    update "budgetLines" set "archivedAt" = ${now}, "updatedAt" = ${now}, "version" = "version" + 1
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "source" = 'base' and "archivedAt" is null
      and "takeoffLineId" <> all(${lines.map((line) => line.takeoffLineId)}::text[])`.execute(db)
  const { rows } = await sql<{ added: boolean }>`
    insert into "budgetLines" as b ("organizationId", "id", "homeId", "source", "takeoffLineId", ${FIGURES},
      "approvedChanges", "version", "createdBy", "createdAt", "updatedAt")
    select ${organizationId}, l."id", ${homeId}, 'base', l."takeoffLineId", l."scope", l."costCodeId", l."partId",
      l."priceId", l."description", l."quantity", l."unit", l."unitCost", l."amount",
      0, 1, ${JSON.stringify(actor)}::jsonb, ${now}, ${now}
    from unnest(
      ${lines.map(() => typeid('bud').toString())}::text[], ${lines.map((line) => line.takeoffLineId)}::text[],
      ${lines.map((line) => line.scope)}::text[], ${lines.map((line) => line.costCodeId)}::text[],
      ${lines.map((line) => line.partId)}::text[], ${lines.map((line) => line.priceId)}::text[],
      ${lines.map((line) => line.description)}::text[], ${lines.map((line) => line.quantity)}::numeric[],
      ${lines.map((line) => line.unit)}::text[], ${lines.map((line) => line.unitCost)}::numeric[],
      ${lines.map((line) => line.amount)}::numeric[]
    ) as l ("id", "takeoffLineId", "scope", "costCodeId", "partId", "priceId", "description", "quantity", "unit",
      "unitCost", "amount")
    on conflict ("organizationId", "homeId", "takeoffLineId") where "source" = 'base' do update set
      (${FIGURES}) = row (excluded."scope", excluded."costCodeId", excluded."partId", excluded."priceId",
        excluded."description", excluded."quantity", excluded."unit", excluded."unitCost", excluded."originalAmount"),
      "archivedAt" = null, "updatedAt" = ${now}, "version" = b."version" + 1
    where b."archivedAt" is not null
      or (b."scope", b."costCodeId", b."partId", b."priceId", b."description", b."quantity", b."unit", b."unitCost", b."originalAmount")
        is distinct from (excluded."scope", excluded."costCodeId", excluded."partId", excluded."priceId",
          excluded."description", excluded."quantity", excluded."unit", excluded."unitCost", excluded."originalAmount")
    returning b."version" = 1 as "added"`.execute(db)
  const added = rows.filter((row) => row.added).length
  return { added, changed: rows.length - added, removed: Number(removed) }
}
