import type { RowProblem } from '../../../client/contract.gen.ts'
import type { ExecutionOf } from '../../../client/skills.ts'
import { client } from '../../api/plumbline.ts'

/** As many rows as importRows takes at once. */
const ROWS_AT_ONCE = 200

/** What became of the rows, or would. */
export interface Imported {
  created: number
  updated: number
  unchanged: number
  failed: readonly FailedRow[]
}

export interface FailedRow {
  /** Its place in the file, from 0. */
  row: number
  problem: RowProblem
}

/**
 * Imports the rows some at a time, or only tries them; a row that is at fault does not stop the others. Throws the problem
 * that a whole request is refused with; what was imported before stays, and is told with `onProgress`.
 */
export async function importVendors(
  rows: readonly Record<string, unknown>[],
  dryRun: boolean,
  onProgress: (done: number, so: Imported) => void,
): Promise<Imported> {
  let so: Imported = { created: 0, updated: 0, unchanged: 0, failed: [] }
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE)
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
