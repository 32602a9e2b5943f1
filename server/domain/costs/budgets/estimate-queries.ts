import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { BudgetLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { recordBudgetLineEvents } from './line-events.ts'
import * as budgetLines from './queries.ts'

/** A budget line that was estimated from a takeoff line, a lump sum, or the cost of a selection. */
export interface EstimatedLine
  extends Pick<
    BudgetLine,
    | ('source' | 'optionSelectionId' | 'takeoffLineId' | 'partId' | 'priceId' | 'contractId')
    | ('scope' | 'costCodeId')
    | ('description' | 'quantity' | 'unit' | 'unitCost')
  > {
  /** Whether the line offsets a line of the home that the selection replaces. */
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
 * Returns the key that identifies the same line in the next estimate. Keys contain the ID of the selection, so no two
 * lines have the same key. The key of a lump sum contains its trade but not its contract, so the lump sum keeps its
 * budget line when another contract replaces its contract.
 */
function toEstimateKey({ optionSelectionId, isTakenOut, takeoffLineId, contractId, scope }: EstimatedLine): string {
  if (contractId !== null) return `${optionSelectionId ?? ''}=${scope.toLowerCase()}`
  return `${optionSelectionId ?? ''}${isTakenOut ? '-' : '+'}${takeoffLineId ?? ''}`
}

/**
 * Replaces the estimated lines of a home, or only those of some selections. Each takeoff line keeps its budget line,
 * because orders may refer to it. Lines whose figures are the same are not changed. Before the budget is locked, all
 * amounts are original amounts, and obsolete lines are removed. Afterward, original amounts do not change, and every
 * difference is an approved change.
 */
export async function replaceEstimate(
  call: WriteCall,
  place: EstimatePlace,
  lines: readonly EstimatedLine[],
): Promise<{ added: number; changed: number; removed: number }> {
  const former = await budgetLines.findAll(call, await findEstimatedIds(call, place.homeId))
  const written = await writeEstimate(call, place, lines)
  await recordBudgetLineEvents(call, former, { added: written.added })
  return { ...written, added: written.added.length }
}

/** The home, and the selections whose lines are replaced. */
interface EstimatePlace {
  homeId: string
  isLocked: boolean
  of: readonly string[] | 'all'
}

/** Returns the IDs of all lines that an estimate may change, including removed lines that it may restore. */
async function findEstimatedIds({ db, organizationId }: WriteCall, homeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('budgetLines')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('homeId', '=', homeId)
    .where('estimateKey', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}

async function writeEstimate(
  { db, organizationId, actor, now }: WriteCall,
  { homeId, isLocked, of }: EstimatePlace,
  lines: readonly EstimatedLine[],
): Promise<{ added: string[]; changed: number; removed: number }> {
  const keys = lines.map(toEstimateKey)
  const within = of === 'all' ? sql`"estimateKey" is not null` : sql`"optionSelectionId" = any(${[...of]}::text[])`
  const gone = isLocked ? sql`"approvedChanges" = - "originalAmount"` : sql`"archivedAt" = ${now}`
  const { numAffectedRows: removed = 0n } = await sql`
    update "budgetLines" set ${gone}, "updatedAt" = ${now}, "version" = "version" + 1
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and ${within} and "archivedAt" is null
      and "estimateKey" <> all(${keys}::text[]) and (not ${isLocked}::boolean or "approvedChanges" <> - "originalAmount")`.execute(
    db,
  )
  if (lines.length === 0) return { added: [], changed: 0, removed: Number(removed) }
  const original = isLocked
    ? sql`case when old."archivedAt" is null then old."originalAmount" else 0 end`
    : sql`l."amount"`
  const { rows } = await sql<{ id: string; isAdded: boolean }>`
    insert into "budgetLines" as b ("organizationId", "id", "homeId", "estimateKey", "source", "optionSelectionId",
      "takeoffLineId", ${COLUMNS_SQL}, "version", "createdBy", "createdAt", "updatedAt")
    select o."id", l."id", ${homeId}::text, l."estimateKey", l."source", l."optionSelectionId", l."takeoffLineId",
      l."scope", l."costCodeId", l."partId", l."priceId", l."contractId", l."description", l."quantity", l."unit", l."unitCost",
      coalesce(${original}, 0), l."amount" - coalesce(${original}, 0), 1, ${JSON.stringify(actor)}::jsonb,
      ${now}::timestamptz, ${now}::timestamptz
    from "organizations" as o
    cross join unnest(
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
    left join "budgetLines" as old on old."organizationId" = o."id" and old."homeId" = ${homeId}::text
      and old."estimateKey" = l."estimateKey"
    where o."id" = ${organizationId}
    on conflict ("organizationId", "homeId", "estimateKey") where "estimateKey" is not null do update set
      (${COLUMNS_SQL}) = row (excluded."scope", excluded."costCodeId", excluded."partId", excluded."priceId",
        excluded."contractId", excluded."description", excluded."quantity", excluded."unit", excluded."unitCost", excluded."originalAmount",
        excluded."approvedChanges"),
      "source" = excluded."source", "archivedAt" = null, "updatedAt" = ${now}, "version" = b."version" + 1
    where b."archivedAt" is not null
      or (${STORED_COLUMNS_SQL}) is distinct from (excluded."scope", excluded."costCodeId", excluded."partId", excluded."priceId",
        excluded."contractId", excluded."description", excluded."quantity", excluded."unit", excluded."unitCost", excluded."originalAmount",
        excluded."approvedChanges")
    returning b."id", b."version" = 1 as "isAdded"`.execute(db)
  const added = rows.flatMap(({ id, isAdded }) => (isAdded ? [id] : []))
  return { added, changed: rows.length - added.length, removed: Number(removed) }
}
