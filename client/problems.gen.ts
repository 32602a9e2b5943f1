import type { Problem as AnyProblem } from './contract.gen.ts'

/** What problems of these codes have besides what all have. Written by `npm run generate`. */
export interface ProblemMembers {
  permission_denied: Pick<AnyProblem, 'permission'>
  skill_not_found: Required<Pick<AnyProblem, 'nearest'>>
  invalid_transition: Required<Pick<AnyProblem, 'from' | 'to' | 'allowed'>>
  conflict: Required<Pick<AnyProblem, 'reason'>> & Pick<AnyProblem, 'conflictingId'>
  precondition_failed: Required<Pick<AnyProblem, 'currentVersion'>>
  validation_failed: Required<Pick<AnyProblem, 'errors'>>
  invalid_cursor: Required<Pick<AnyProblem, 'errors'>>
  unknown_reference: Required<Pick<AnyProblem, 'errors'>> & Pick<AnyProblem, 'nearest' | 'didYouMean'>
  ambiguous_reference: Required<Pick<AnyProblem, 'errors' | 'candidates'>>
}
