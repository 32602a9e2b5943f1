import type { ConflictReason, RowProblem } from '../../../../client/contract.gen.ts'

/** An action of a skill that was rejected. Other actions of the same skill may have succeeded. */
export interface RejectedItem {
  id: string | null
  label: string
  pointer: string | null
  problem: RowProblem
}

/** Returns the problem for an action that the current state does not allow, and for which no operation was called. */
export function createRowConflict(reason: ConflictReason, detail: string): RowProblem {
  return { code: 'conflict', detail, errors: [], reason, conflictingId: null }
}
