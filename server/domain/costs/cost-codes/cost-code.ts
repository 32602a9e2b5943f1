import type { CostCode } from '../../../../client/contract.gen.ts'
import { type Problem, validationFailed } from '../../../platform/problems/problem.ts'

/**
 * The maximum depth of the chart. Accounting systems have five levels. The limit bounds every traversal of the tree.
 */
export const MAX_LEVELS = 8

/**
 * Returns the reason why no code can be placed below this code; null if there is none. `path` contains the IDs from the
 * code up to the top level. `levels` is the number of levels to add.
 */
export function explainUnsuitableParent(parent: CostCode, path: readonly string[], levels: number): string | null {
  if (parent.archivedAt !== null) return `must not be archived; ${parent.code} is archived`
  if (path.length + levels > MAX_LEVELS) return `must not make the chart more than ${MAX_LEVELS} levels deep`
  return null
}

/** Returns the problem for a code that cannot be below its parent. `field` contains the parent in the request. */
export function createParentProblem(message: string, field: 'parentId' | 'parentCode' = 'parentId'): Problem {
  return validationFailed([{ pointer: `/${field}`, code: 'tree', message }])
}

/** Returns the reason why the code cannot be archived; null if there is none. */
export function explainWhyCodeCannotBeArchived(
  { code }: CostCode,
  uses: { children: number; scopes: number },
): string | null {
  const { children, scopes } = uses
  if (children > 0)
    return `Cannot archive ${code}: ${children === 1 ? '1 cost code is' : `${children} cost codes are`} below it. Move or archive ${children === 1 ? 'it' : 'them'} first.`
  if (scopes > 0)
    return `Cannot archive ${code}: it is the default of ${scopes === 1 ? '1 trade' : `${scopes} trades`}. Set another default first.`
  return null
}
