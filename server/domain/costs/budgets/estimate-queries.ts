import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { BudgetLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'

/** A budget line estimated from a takeoff line, a lump sum, or the cost of a selection. */
export interface EstimatedLine
  extends Pick<
    BudgetLine,
    | ('source' | 'optionSelectionId' | 'takeoffLineId' | 'partId' | 'priceId' | 'contractId')
    | ('scope' | 'costCodeId')
    | ('description' | 'quantity' | 'unit' | 'unitCost')
  > {
  /** Whether the line removes a line of the home that the selection replaces. */
  isTakenOut: boolean
  amount: number
}

const COLUMN_NAMES = [
  ...['scope', 'costCodeId', 'partId', 'priceId', 'contractId', 'description', 'quantity', 'unit', 'unitCost'],
  ...['originalAmount', 'approvedChanges'],
]
const COLUMNS_SQL = sql.raw(COLUMN_NAMES.map((name) => `"${name}"`).join(', '))
const STORED_COLUMNS_SQL = sql.raw(COLUMN_NAMES.map((name) => `b."${name}"`).join(', '))

/**
 * Returns the key that identifies a line in a later estimate. Selections have IDs, so no two lines share a key. The
 * lump sum of a trade keeps its line when another contract replaces the first.
 */
function toEstimateKey({ optionSelectionId, isTakenOut, takeoffLineId, contractId, scope }: EstimatedLine): string {
  if (contractId !== null) return `${optionSelectionId ?? ''}=${scope.toLowerCase()}`
  return `${optionSelectionId ?? ''}${isTakenOut ? '-' : '+'}${takeoffLineId ?? ''}`
}

/**
 * Replaces the estimated lines of a home, or only those of some selections. A takeoff line keeps its budget line, which
 * orders may refer to; a line with the same figures is not changed. Before the lock, amounts are originals, and lines
 * that no longer exist are removed. Afterwards the originals stay, and every difference is an approved change.
 */
export async function replaceEstimate(
  { db, organizationId, actor, now }: WriteCall,
  { homeId, isLocked, of }: { homeId: string; isLocked: boolean; of: readonly string[] | 'all' },
  lines: readonly EstimatedLine[],
): Promise<{ added: number; changed: number; removed: number }> {
  const keys = lines.map(toEstimateKey)
  const within = of === 'all' ? sql`"estimateKey" is not null` : sql`"optionSelectionId" = any(${[...of]}::text[])`
  const gone = isLocked ? sql`"approvedChanges" = - "originalAmount"` : sql`"archivedAt" = ${now}`
  const { numAffectedRows: removed = 0n } = await sql`
    update "budgetLines" set ${gone}, "updatedAt" = ${now}, "version" = "version" + 1
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and ${within} and "archivedAt" is null
      and "estimateKey" <> all(${keys}::text[]) and (not ${isLocked}::boolean or "approvedChanges" <> - "originalAmount")`.execute(
    db,
  )
  if (lines.length === 0) return { added: 0, changed: 0, removed: Number(removed) }
  const original = isLocked ? sql`case when b."archivedAt" is null then b."originalAmount" else 0 end` : sql`l."amount"`
  const { rows } = await sql<{ added: boolean }>`
    with l as (
      select l.*, coalesce(${original}, 0) as "originalAmount", l."amount" - coalesce(${original}, 0) as "approvedChanges"
      from unnest(
        ${lines.map(() => typeid('bud').toString())}::text[], ${keys}::text[], ${lines.map((line) => line.source)}::text[],
        ${lines.map((line) => line.optionSelectionId)}::text[], ${lines.map((line) => line.takeoffLineId)}::text[],
        ${lines.map((line) => line.scope)}::text[], ${lines.map((line) => line.costCodeId)}::text[],
        ${lines.map((line) => line.partId)}::text[], ${lines.map((line) => line.priceId)}::text[],
        ${lines.map((line) => line.contractId)}::text[],
        ${lines.map((line) => line.description)}::text[], ${lines.map((line) => line.quantity)}::numeric[],
        ${lines.map((line) => line.unit)}::text[], ${lines.map((line) => line.unitCost)}::numeric[],
        ${lines.map((line) => line.amount)}::numeric[]
      ) as l ("id", "estimateKey", "source", "optionSelectionId", "takeoffLineId", "scope", "costCodeId", "partId",
        "priceId", "contractId", "description", "quantity", "unit", "unitCost", "amount")
      left join "budgetLines" as b on b."organizationId" = ${organizationId} and b."homeId" = ${homeId}
        and b."estimateKey" = l."estimateKey"
    )
    insert into "budgetLines" as b ("organizationId", "id", "homeId", "estimateKey", "source", "optionSelectionId",
      "takeoffLineId", ${COLUMNS_SQL}, "version", "createdBy", "createdAt", "updatedAt")
    select ${organizationId}, l."id", ${homeId}, l."estimateKey", l."source", l."optionSelectionId", l."takeoffLineId",
      l."scope", l."costCodeId", l."partId", l."priceId", l."contractId", l."description", l."quantity", l."unit", l."unitCost",
      l."originalAmount", l."approvedChanges", 1, ${JSON.stringify(actor)}::jsonb, ${now}, ${now}
    from l
    on conflict ("organizationId", "homeId", "estimateKey") where "estimateKey" is not null do update set
      (${COLUMNS_SQL}) = row (excluded."scope", excluded."costCodeId", excluded."partId", excluded."priceId",
        excluded."contractId", excluded."description", excluded."quantity", excluded."unit", excluded."unitCost", excluded."originalAmount",
        excluded."approvedChanges"),
      "source" = excluded."source", "archivedAt" = null, "updatedAt" = ${now}, "version" = b."version" + 1
    where b."archivedAt" is not null
      or (${STORED_COLUMNS_SQL}) is distinct from (excluded."scope", excluded."costCodeId", excluded."partId", excluded."priceId",
        excluded."contractId", excluded."description", excluded."quantity", excluded."unit", excluded."unitCost", excluded."originalAmount",
        excluded."approvedChanges")
    returning b."version" = 1 as "added"`.execute(db)
  const added = rows.filter((row) => row.added).length
  return { added, changed: rows.length - added, removed: Number(removed) }
}
