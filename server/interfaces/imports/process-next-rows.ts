import type { Import } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { Problem, toRowProblem, validationFailed } from '../../platform/problems/problem.ts'
import { toTypedKey } from '../../platform/values/typed-keys.ts'
import { runWithDryRun } from '../skills/execute-skill.ts'
import { attemptTask } from '../skills/frame/attempt-task.ts'
import { convertRow } from './convert-row.ts'
import type { ImportKindDefinition, RowValues } from './kinds/import-kind.ts'
import { IMPORT_KINDS } from './kinds/import-kinds.ts'
import type { RowOutcome, StoredImport, StoredRow } from './queries.ts'
import * as imports from './queries.ts'
import { type SavedRecord, saveRecord } from './save-record.ts'

/**
 * The maximum number of rows in a transaction. With this number, the transaction holds its locks for about a second.
 */
const ROWS_PER_PIECE = 100
/** The maximum number of rows that can form one record. */
const MAX_ROWS_OF_RECORD = 2000

/** The rows that form one record. For most kinds, this is a single row. */
interface RecordRows {
  readonly rows: readonly StoredRow[]
  readonly values: readonly RowValues[]
  /** The errors in the cells; null if there are none. */
  readonly problem: Problem | null
}

/** Checks or saves the next rows of an import. Returns the import with its progress. */
export async function processNextRows(call: WriteCall, running: StoredImport): Promise<StoredImport> {
  const definition = IMPORT_KINDS[running.kind]
  const records = await readNextRecords(call, running, definition)
  if (records.length === 0) return finishRun(call, running)
  const outcomes = await runWithDryRun(running.status === 'checking', call, async (call) => {
    const outcomes: RowOutcome[] = []
    for (const record of records) outcomes.push(...(await processRecord(call, running, definition, record, outcomes)))
    return outcomes
  })
  await imports.storeRowOutcomes(call, running.id, outcomes)
  return imports.update(call, running, await countProgress(call, running.id))
}

async function finishRun(call: WriteCall, running: StoredImport): Promise<StoredImport> {
  return imports.update(call, running, {
    status: running.status === 'checking' ? 'checked' : 'imported',
    finishedAt: call.now.toISOString(),
  })
}

/** Returns the number of rows by outcome so far. */
export async function countProgress(
  call: WriteCall,
  importId: string,
): Promise<
  Pick<Import, 'doneCount' | 'created' | 'updated' | 'unchanged' | 'failed' | 'skipped' | 'undecided' | 'undone'>
> {
  const counts = await imports.countRowsByStatus(call, importId)
  const of = (status: string) => counts.get(status) ?? 0
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return {
    ...{ doneCount: total - of('pending'), created: of('created'), updated: of('updated') },
    ...{ unchanged: of('unchanged'), failed: of('failed'), skipped: of('skipped') },
    ...{ undecided: of('undecided'), undone: of('undone') },
  }
}

async function readNextRecords(
  call: WriteCall,
  running: StoredImport,
  definition: ImportKindDefinition,
): Promise<RecordRows[]> {
  const { groupedBy } = definition
  const limit = groupedBy === undefined ? ROWS_PER_PIECE : MAX_GROUPED_ROWS
  const pending = await imports.listRows(call, running.id, { limit, statuses: ['pending'] })
  const converted = pending.map((row): RecordRows => {
    try {
      return { rows: [row], values: [convertRow(call, running, definition, row)], problem: null }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return { rows: [row], values: [], problem: error }
    }
  })
  if (groupedBy === undefined) return converted
  const groups = Map.groupBy(converted, ({ values: [values = {}] }) =>
    JSON.stringify(groupedBy.map((field) => toGroupKey(values[field]))),
  )
  const records = [...groups.values()].flatMap(joinRecords)
  let rows = 0
  return records.filter((record) => {
    const isFirst = rows < ROWS_PER_PIECE
    if (isFirst) rows += record.rows.length
    return isFirst
  })
}

function toGroupKey(value: unknown): unknown {
  return typeof value === 'string' ? toTypedKey(value) : (value ?? null)
}

/**
 * The maximum number of rows of a file whose records have several rows. All rows are read at once, because the rows of
 * a record can be anywhere in the file.
 */
const MAX_GROUPED_ROWS = 20_000

/**
 * Combines the rows of one record. If one row has errors, the record cannot be saved, and the other rows get an error
 * that says so.
 */
function joinRecords(parts: readonly RecordRows[]): RecordRows[] {
  const faulty = parts.filter(({ problem }) => problem !== null)
  const whole = parts.filter(({ problem }) => problem === null)
  const rows = whole.flatMap(({ rows }) => rows)
  if (rows.length === 0) return [...parts]
  const values = whole.flatMap(({ values }) => values)
  if (faulty.length > 0) {
    const message = `cannot be saved, because line ${faulty[0]?.rows[0]?.line ?? 0} of the same record has errors`
    return [...faulty, { rows, values, problem: validationFailed([{ pointer: '', code: 'other_row', message }]) }]
  }
  if (rows.length > MAX_ROWS_OF_RECORD) {
    const message = `must not have more than ${MAX_ROWS_OF_RECORD} rows for the same record`
    return [{ rows, values, problem: validationFailed([{ pointer: '', code: 'maxItems', message }]) }]
  }
  return [{ rows, values, problem: null }]
}

async function processRecord(
  call: WriteCall,
  running: StoredImport,
  definition: ImportKindDefinition,
  { rows, values, problem }: RecordRows,
  earlier: readonly RowOutcome[],
): Promise<RowOutcome[]> {
  if (problem !== null) return rows.map((row) => toOutcome(row, { problem: toRowProblem(problem) }))
  const decision = rows[0]?.decision ?? running.duplicates
  const { done, refused } = await attemptTask(call, async (call) => {
    const saved = await saveRecord(call, definition, values, decision)
    if (saved.id !== null && saved.status !== 'created') await assertFirstRow(call, running, saved.id, earlier)
    return saved
  })
  return rows.map((row, at) => {
    if (refused !== null) return toOutcome(row, { problem: refused })
    // When a user undoes the import, only the first row of a record undoes the record.
    return toOutcome(row, { saved: at === 0 ? done : { ...done, before: null, possibleDuplicates: [] } })
  })
}

/**
 * Throws unless this is the first row for a record, because a second row would replace the values of the first row
 * without notice.
 */
async function assertFirstRow(
  call: WriteCall,
  { id, rowCount }: StoredImport,
  recordId: string,
  earlier: readonly RowOutcome[],
): Promise<void> {
  const here = earlier.find((outcome) => outcome.recordId === recordId)
  const before = rowCount === 1 ? null : await imports.findLineOfRecord(call, id, recordId)
  if (here === undefined && before === null) return
  const message =
    before === null
      ? 'must not refer to the same record as an earlier row'
      : `must not refer to the same record as line ${before}`
  throw validationFailed([{ pointer: '', code: 'unique', message }])
}

function toOutcome(
  { row, possibleDuplicates }: StoredRow,
  { saved = null, problem = null }: { saved?: SavedRecord | null; problem?: StoredRow['problem'] },
): RowOutcome {
  return {
    row,
    status: saved?.status ?? 'failed',
    recordId: saved?.id ?? null,
    recordVersion: saved?.version ?? null,
    before: saved?.before ?? null,
    problem,
    // If the user has made a decision on a row, the row keeps its possible duplicates, so that the user can change the
    // decision.
    possibleDuplicates: saved === null || saved.status === 'skipped' ? possibleDuplicates : saved.possibleDuplicates,
  }
}
