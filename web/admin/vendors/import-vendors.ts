import type { RowProblem } from '../../../client/contract.gen.ts'
import type { ExecutionOf } from '../../../client/skills.ts'
import { client } from '../../api/plumbline.ts'

/** The maximum number of rows of importRows. */
const ROWS_PER_REQUEST = 200

/** The outcome of an import or a trial. */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  failed: readonly FailedRow[]
}

export interface FailedRow {
  /** The index of the row in the file, starting at 0. */
  row: number
  problem: RowProblem
}

/**
 * Imports the rows in batches, or only tries them. A row with an error does not stop the others. Throws the problem if
 * a whole request is rejected; rows imported before remain, and were reported with `onProgress`.
 */
export async function importVendors(
  rows: readonly Record<string, unknown>[],
  dryRun: boolean,
  onProgress: (done: number, so: ImportCounts) => void,
): Promise<ImportCounts> {
  let so: ImportCounts = { created: 0, updated: 0, unchanged: 0, failed: [] }
  for (let from = 0; from < rows.length; from += ROWS_PER_REQUEST) {
    const part = rows.slice(from, from + ROWS_PER_REQUEST)
    const input = { entity: 'vendor', mode: 'best_effort', rows: part }
    const { data, error } = await client.POST('/api/ext/execute', { body: { skill: 'importRows', input, dryRun } })
    if (error !== undefined) throw error
    const { result } = data as unknown as ExecutionOf<'importRows'>
    so = {
      created: so.created + result.created,
      updated: so.updated + result.updated,
      unchanged: so.unchanged + result.unchanged,
      failed: [
        ...so.failed,
        ...result.rows.flatMap(({ row, problem }) => (problem === null ? [] : [{ row: from + row, problem }])),
      ],
    }
    onProgress(from + part.length, so)
  }
  return so
}
