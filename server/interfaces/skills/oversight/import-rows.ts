import { sql } from 'kysely'
import type { ImportRowsResult, RowProblem } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import type { OperationId } from '../../../platform/calls/contract.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { attemptTask } from '../frame/attempt-task.ts'

/**
 * For each kind of record: the operations that create and update it, its ID and table, and the fields that can be set
 * only once.
 */
const IMPORTED_ENTITIES = {
  vendor: { create: 'createVendor', update: 'updateVendor', id: 'vendorId', table: 'vendors', once: ['status'] },
  community: {
    ...{ create: 'createCommunity', update: 'updateCommunity', id: 'communityId', table: 'communities' },
    once: ['status'],
  },
  home: { create: 'createHome', update: 'updateHome', id: 'homeId', table: 'homes', once: ['communityId'] },
  lead: { create: 'createLead', update: 'updateLead', id: 'leadId', table: 'leads', once: [] },
  option: { create: 'createOption', update: 'updateOption', id: 'optionId', table: 'options', once: [] },
  plan: { create: 'createPlan', update: 'updatePlan', id: 'planId', table: 'plans', once: ['code'] },
  cost_code: { create: 'createCostCode', update: 'updateCostCode', id: 'costCodeId', table: 'costCodes', once: [] },
  part: { create: 'createPart', update: 'updatePart', id: 'partId', table: 'parts', once: [] },
} as const satisfies Record<
  Checked['ImportRowsInput']['entity'],
  { create: OperationId; update: OperationId; id: string; table: string; once: readonly string[] }
>

type ImportedEntity = (typeof IMPORTED_ENTITIES)[keyof typeof IMPORTED_ENTITIES]
type ImportedRow = ImportRowsResult['rows'][number]

/**
 * Imports each row through the operations for a single record, so that their rules, permissions, events, and audit
 * entries apply.
 */
export async function importRows(
  { entity, mode, rows }: Checked['ImportRowsInput'],
  call: Call,
): Promise<ImportRowsResult> {
  const of = IMPORTED_ENTITIES[entity]
  assertCanImport(call, of)
  const known = await findKnownRecords(call, of, rows)
  const results: ImportedRow[] = []
  for (const [row, fields] of rows.entries()) {
    const tried = await attemptTask(call, (call) => importRow(call, of, fields, known))
    if (tried.refused !== null) results.push({ row, status: 'failed', id: null, version: null, problem: tried.refused })
    else {
      const { id, status, version } = tried.done
      results.push({ row, status, id, version, problem: null })
      // If a later row has the same key, it updates the record that this row created.
      if (typeof fields.externalId === 'string') known.set(fields.externalId, id)
    }
  }
  const failed = results.flatMap(({ row, problem }) => (problem === null ? [] : [{ row, problem }]))
  if (mode === 'all_or_nothing' && failed.length > 0) throw combineRowProblems(failed)
  const count = (status: ImportedRow['status']) => results.filter((each) => each.status === status).length
  return {
    ...{ created: count('created'), updated: count('updated'), unchanged: count('unchanged'), failed: count('failed') },
    rows: results,
  }
}

/** Throws `permission_denied` before any row is imported, because this error applies to all rows. */
function assertCanImport(call: Call, { create }: ImportedEntity): void {
  const needed = call.services.contract.operations.get(create)?.permissions ?? []
  const permission = needed.find((each) => !call.permissions.has(each))
  if (permission === undefined) return
  throw new Problem('permission_denied', `Importing these rows requires ${permission}.`, { permission })
}

async function importRow(
  call: Call,
  { create, update, id, once }: ImportedEntity,
  fields: Record<string, unknown>,
  known: ReadonlyMap<string, string>,
): Promise<{ id: string; version: number; status: 'created' | 'updated' | 'unchanged' }> {
  const found = known.get(String(fields.externalId))
  if (found === undefined) {
    const created = await call.operation(create, fields)
    return { id: created.id, version: created.version, status: 'created' }
  }
  const changes = Object.fromEntries(Object.entries(fields).filter(([field]) => !isCreateOnlyField(once, field)))
  const noted = call.changes.length + call.events.length
  const { version } = await call.operation(update, { ...changes, [id]: found })
  return { id: found, version, status: call.changes.length + call.events.length > noted ? 'updated' : 'unchanged' }
}

function isCreateOnlyField(once: readonly string[], field: string): boolean {
  return once.includes(field)
}

/** Returns the existing records with the external IDs in the rows. */
async function findKnownRecords(
  { db, organizationId }: Call,
  { table }: ImportedEntity,
  rows: readonly Record<string, unknown>[],
): Promise<Map<string, string>> {
  const externalIds = rows.flatMap(({ externalId }) => (typeof externalId === 'string' ? [externalId] : []))
  if (externalIds.length === 0) return new Map()
  const found = await sql<{ id: string; externalId: string }>`
    select "id", "externalId" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "externalId" = any(${externalIds}::text[])`.execute(db)
  return new Map(found.rows.map(({ id, externalId }) => [externalId, id]))
}

/** Combines the problems of all failed rows into one problem. Its pointers contain the positions of the rows. */
function combineRowProblems(failed: readonly { row: number; problem: RowProblem }[]): Problem {
  const errors = failed.flatMap(({ row, problem: { code, detail, errors } }) =>
    errors.length === 0
      ? [{ pointer: `/rows/${row}`, code, message: detail.slice(0, 1000) }]
      : errors.map((fault) => ({ ...fault, pointer: `/rows/${row}${toRowPointer(fault.pointer)}` })),
  )
  return new Problem('validation_failed', `Nothing was imported. Rows with errors: ${failed.length}. See \`errors\`.`, {
    errors: errors.slice(0, MAX_FAULTS),
  })
}

function toRowPointer(pointer: string): string {
  return pointer === '' || pointer.startsWith('/') ? pointer : `/${pointer}`
}

/** The maximum number of errors in a problem. The contract declares the same limit. */
const MAX_FAULTS = 1000
