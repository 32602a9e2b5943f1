import type { ConflictReason, RowProblem } from '../../../../client/contract.gen.ts'

/** An action of a skill that was rejected, while other actions may have succeeded. */
export interface RejectedItem {
  id: string | null
  label: string
  pointer: string | null
  problem: RowProblem
}

/**
 * Returns the problem for an action that was rejected before any operation was called, because the current state does
 * not allow it.
 */
export function createRowConflict(reason: ConflictReason, detail: string): RowProblem {
  return { code: 'conflict', detail, errors: [], reason, conflictingId: null }
}
