import type { WriteCall } from '../../platform/calls/call.ts'
import { conflict } from '../../platform/problems/problem.ts'
import { attemptTask } from '../skills/frame/attempt-task.ts'
import type { ImportKindDefinition } from './kinds/import-kind.ts'
import { IMPORT_KINDS } from './kinds/import-kinds.ts'
import { countProgress } from './process-next-rows.ts'
import type { RowOutcome, StoredImport, StoredRow } from './queries.ts'
import * as imports from './queries.ts'
import { changeRecordStatus } from './save-record.ts'

/** The maximum number of rows in one transaction. */
const ROWS_PER_PIECE = 100

/** Undoes the last rows of an import that are not undone yet. Returns the import with its progress. */
export async function undoLastRows(call: WriteCall, running: StoredImport): Promise<StoredImport> {
  const definition = IMPORT_KINDS[running.kind]
  // Undoes the last records first, because they can depend on earlier records.
  const rows = await imports.listLastRows(call, running.id, { limit: ROWS_PER_PIECE, statuses: ['created', 'updated'] })
  if (rows.length === 0) return imports.update(call, running, { status: 'undone', finishedAt: call.now.toISOString() })
  const outcomes: RowOutcome[] = []
  for (const row of rows) outcomes.push(await undoRow(call, definition, row))
  await imports.storeRowOutcomes(call, running.id, outcomes)
  const { doneCount: _, ...counts } = await countProgress(call, running.id)
  return imports.update(call, running, { ...counts, doneCount: running.doneCount + rows.length })
}

async function undoRow(call: WriteCall, definition: ImportKindDefinition, row: StoredRow): Promise<RowOutcome> {
  const { done, refused } = await attemptTask(call, (call) => undoRecord(call, definition, row))
  const { recordId, possibleDuplicates } = row
  return {
    ...{ row: row.row, status: refused === null ? 'undone' : 'kept', recordId, possibleDuplicates },
    ...{ recordVersion: done ?? row.recordVersion, before: row.before, problem: refused },
  }
}

/** Restores or archives the record of a row. Returns the record's version. */
async function undoRecord(
  call: WriteCall,
  definition: ImportKindDefinition,
  { status, recordId, recordVersion, before }: StoredRow,
): Promise<number | null> {
  const { operations, identifiedBy } = definition
  if (recordId === null) return null
  const named = { [operations.id]: recordId }
  if (operations.archive === null) {
    // Only the first row of a document contains the document's previous content.
    if (before !== null) await call.operation(operations.create, { ...before, ...named })
    return null
  }
  const record = (await call.operation(operations.get, named)) as Record<string, unknown>
  const isArchived = record.archivedAt != null || record.status === (operations.archivedStatus ?? null)
  if (isArchived) return Number(record.version)
  // This row is another row of a record that has already been undone.
  if (recordVersion !== null && Number(record.version) !== recordVersion && before === null && status === 'updated')
    return recordVersion
  const isChanged = recordVersion !== null && Number(record.version) !== recordVersion
  const canUndo = !isChanged || (status === 'created' && (await definition.canUndoLaterVersion?.(call, recordId)))
  if (canUndo !== true) throw conflict('changed_meanwhile', 'The record was changed after the import, so it was kept.')
  if (status === 'updated') {
    const { status: earlier, ...fields } = before ?? {}
    let version = recordVersion
    if (operations.update !== null && Object.keys(fields).length > 0) {
      const after = (await call.operation(operations.update, { ...fields, ...named })) as { version: number }
      version = after.version
    }
    return earlier === undefined ? version : changeRecordStatus(call, operations, recordId, earlier)
  }
  // Clears the numbers from other systems, so that the file can be imported again.
  const numbers = identifiedBy.flatMap((fields) =>
    fields.length === 1 && (fields[0] === 'externalId' || fields[0] === 'accountingId') ? fields : [],
  )
  const freed = Object.fromEntries(numbers.flatMap((field) => (record[field] == null ? [] : [[field, null]])))
  if (operations.update !== null && Object.keys(freed).length > 0)
    await call.operation(operations.update, { ...freed, ...named })
  await call.operation(operations.archive, { ...operations.archiveInput, ...named })
  return null
}
