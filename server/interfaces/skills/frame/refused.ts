import type { ConflictReason, RowProblem } from '../../../../client/contract.gen.ts'

/** One of several things that a skill was to do and did not. */
export interface Refused {
  id: string | null
  label: string
  pointer: string | null
  problem: RowProblem
}

/** Something that is refused although no operation was asked, because its present state does not allow it. */
export function conflictOf(reason: ConflictReason, detail: string): RowProblem {
  return { code: 'conflict', detail, errors: [], reason, conflictingId: null }
}
