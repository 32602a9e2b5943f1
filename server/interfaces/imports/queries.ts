import { sql } from 'kysely'
import type { Actor, Import, ImportRow } from '../../../client/contract.gen.ts'
import type { SealState, Tenant, WriteCall } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DueSql } from '../../platform/due/find-due-jobs.ts'
import { declareRowType } from '../../platform/resources/declaration.ts'
import { defineResource } from '../../platform/resources/resource.ts'
import type { EarlierColumns } from './understanding/understand-table.ts'

/** An import, including the fields that clients do not see. */
export interface StoredImport extends Import {
  /** Identifies files with the same headings. */
  signature: string
  /** The positions of the columns whose format a user has confirmed. */
  confirmed: number[]
  /** The permissions that the user or API key had when it started the last run. The run has no other permissions. */
  permissions: string[]
  startedBy: Actor | null
}

export const { list, find, lock, insert, update } = defineResource({
  schema: 'Import',
  row: declareRowType<StoredImport>(),
  stored: { signature: 'text', confirmed: 'json', permissions: 'texts', startedBy: 'json?' },
  toRecord: (_call: SealState, row: StoredImport) => toImport(row),
  filters: { kinds: (kinds) => `t."kind" = any(${kinds}::text[])` },
})

/** Returns the import as the contract shows it. */
export function toImport({
  signature: _,
  confirmed: _c,
  permissions: _p,
  startedBy: _s,
  ...record
}: StoredImport): Import {
  return record
}

/**
 * A cell in its stored form. For a tax ID, the form contains the encrypted ID and its last characters in plain text.
 */
export type StoredCell = string | number | null | { sealed: string; shown: string }

export interface StoredRow {
  row: number
  line: number
  cells: StoredCell[]
  status: ImportRow['status']
  decision: ImportRow['decision']
  recordId: string | null
  recordVersion: number | null
  before: Record<string, unknown> | null
  problem: ImportRow['problem']
  possibleDuplicates: ImportRow['possibleDuplicates']
}

/** The maximum number of rows that one statement stores. */
const ROWS_PER_STATEMENT = 1000

export async function insertRows(
  { db, organizationId, now }: WriteCall,
  importId: string,
  rows: readonly { line: number; cells: StoredCell[] }[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const part = rows.slice(from, from + ROWS_PER_STATEMENT).map((row, i) => ({ row: from + i + 1, ...row }))
    await sql`
      insert into "importRows" ("organizationId", "importId", "row", "line", "cells", "status",
        "possibleDuplicates", "createdAt")
      select o."id", ${importId}::text, r."row", r."line", r."cells", 'pending', '[]', ${now.toISOString()}::timestamptz
      from "organizations" as o
      cross join jsonb_to_recordset(${JSON.stringify(part)}::jsonb) as r ("row" integer, "line" integer, "cells" jsonb)
      where o."id" = ${organizationId}`.execute(db)
  }
}

const ROW_COLUMNS = sql.raw(
  [
    ...['row', 'line', 'cells', 'status', 'decision', 'recordId', 'recordVersion', 'before', 'problem'],
    'possibleDuplicates',
  ]
    .map((column) => `"${column}"`)
    .join(', '),
)

/** Returns rows in the order of the file. */
export async function listRows(
  { db, organizationId }: Tenant,
  importId: string,
  { afterRow = 0, limit, statuses }: { afterRow?: number | undefined; limit: number; statuses?: readonly string[] },
): Promise<StoredRow[]> {
  const isWanted = statuses === undefined ? sql`` : sql`and "status" = any(${[...statuses]}::text[])`
  const { rows } = await sql<StoredRow>`
    select ${ROW_COLUMNS} from "importRows"
    where "organizationId" = ${organizationId} and "importId" = ${importId} and "row" > ${afterRow} ${isWanted}
    order by "row" limit ${limit}`.execute(db)
  return rows
}

/** Returns the last rows that have one of these outcomes, in reverse order. */
export async function listLastRows(
  { db, organizationId }: Tenant,
  importId: string,
  { limit, statuses }: { limit: number; statuses: readonly string[] },
): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select ${ROW_COLUMNS} from "importRows"
    where "organizationId" = ${organizationId} and "importId" = ${importId} and "status" = any(${[...statuses]}::text[])
    order by "row" desc limit ${limit}`.execute(db)
  return rows
}

export type RowOutcome = Pick<
  StoredRow,
  'row' | 'status' | 'recordId' | 'recordVersion' | 'before' | 'problem' | 'possibleDuplicates'
>

export async function storeRowOutcomes(
  { db, organizationId }: WriteCall,
  importId: string,
  outcomes: readonly RowOutcome[],
): Promise<void> {
  await sql`
    update "importRows" as t set "status" = r."status", "recordId" = r."recordId", "recordVersion" = r."recordVersion",
      "before" = r."before", "problem" = r."problem", "possibleDuplicates" = r."possibleDuplicates"
    from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as r ("row" integer, "status" text, "recordId" text,
      "recordVersion" integer, "before" jsonb, "problem" jsonb, "possibleDuplicates" jsonb)
    where t."organizationId" = ${organizationId} and t."importId" = ${importId} and t."row" = r."row"`.execute(db)
}

/** Marks all rows as pending, for another run. */
export async function resetRows({ db, organizationId }: WriteCall, importId: string): Promise<void> {
  await sql`
    update "importRows" set "status" = 'pending', "recordId" = null, "recordVersion" = null, "before" = null, "problem" = null
    where "organizationId" = ${organizationId} and "importId" = ${importId}`.execute(db)
}

export async function storeDecisions(
  { db, organizationId }: WriteCall,
  importId: string,
  decisions: readonly { row: number; decision: string }[],
): Promise<void> {
  await sql`
    update "importRows" as t set "decision" = r."decision"
    from unnest(${decisions.map(({ row }) => row)}::integer[], ${decisions.map(({ decision }) => decision)}::text[])
      as r ("row", "decision")
    where t."organizationId" = ${organizationId} and t."importId" = ${importId} and t."row" = r."row"`.execute(db)
}

export async function countRowsByStatus(
  { db, organizationId }: Tenant,
  importId: string,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ status: string; count: number }>`
    select "status", count(*)::integer as "count" from "importRows"
    where "organizationId" = ${organizationId} and "importId" = ${importId} group by "status"`.execute(db)
  return new Map(rows.map(({ status, count }) => [status, count]))
}

/** Returns the number of rows whose possible duplicates are undecided. */
export async function countOpenDecisions({ db, organizationId }: Tenant, importId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "importRows"
    where "organizationId" = ${organizationId} and "importId" = ${importId} and "status" = 'undecided'
      and "decision" is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns the line number of the row in this import that created or changed a record; null if there is none. */
export async function findLineOfRecord(
  { db, organizationId }: Tenant,
  importId: string,
  recordId: string,
): Promise<number | null> {
  const { rows } = await sql<{ line: number }>`
    select "line" from "importRows"
    where "organizationId" = ${organizationId} and "importId" = ${importId} and "recordId" = ${recordId}
    limit 1`.execute(db)
  return rows[0]?.line ?? null
}

/** Returns the columns of the last import that saved rows from a file with the same headings. */
export async function findEarlierColumns(
  { db, organizationId }: Tenant,
  signature: string,
): Promise<EarlierColumns | null> {
  const { rows } = await sql<{ columns: EarlierColumns }>`
    select "columns" from "imports"
    where "organizationId" = ${organizationId} and "signature" = ${signature} and "status" in ('imported', 'undone')
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.columns ?? null
}

/** The condition for imports in progress. */
const IS_RUNNING_SQL = sql`"status" in ('checking', 'importing', 'undoing')`

export const toRunningImportsSql: DueSql = () => sql`select "organizationId" from "imports" where ${IS_RUNNING_SQL}`

export async function findRunningImports(db: Db, max: number): Promise<{ organizationId: string; id: string }[]> {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select "organizationId", "id" from "imports"
    where ${IS_RUNNING_SQL} order by "startedAt", "id" limit ${max}`.execute(db)
  return rows
}

/**
 * Locks an import in progress and returns it. Returns null if another process has locked the import or the run has
 * ended.
 */
export async function lockRunningImport(call: WriteCall, importId: string): Promise<StoredImport | null> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "imports"
    where "organizationId" = ${call.organizationId} and "id" = ${importId}
      and ${IS_RUNNING_SQL}
    for update skip locked`.execute(call.db)
  return rows[0] === undefined ? null : find(call, importId)
}

/** Returns whether the rows of an import are still stored. */
export async function hasRows(tenant: Tenant, importId: string): Promise<boolean> {
  return (await listRows(tenant, importId, { limit: 1 })).length > 0
}
