import type { CostCode } from '../../../../client/contract.gen.ts'
import { type Problem, validationFailed } from '../../../platform/problems/problem.ts'

/**
 * The maximum depth of the chart. Accounting systems have five levels; a limit keeps every walk through the tree short.
 */
export const MAX_LEVELS = 8

/**
 * Returns why nothing can be put below a code, or null. `path` leads to the top level; `levels` is the depth of the
 * addition.
 */
export function explainNotBelow(parent: CostCode, path: readonly string[], levels: number): string | null {
  if (parent.archivedAt !== null) return `must not be archived; ${parent.code} is archived`
  if (path.length + levels > MAX_LEVELS) return `must not make the chart more than ${MAX_LEVELS} levels deep`
  return null
}

/** Returns the problem that the code cannot be below its parent, pointing at the field that names the parent. */
export function invalidParent(message: string, field: 'parentId' | 'parentCode' = 'parentId'): Problem {
  return validationFailed([{ pointer: `/${field}`, code: 'tree', message }])
}

/** Returns why the code cannot be archived, or null. */
export function explainNotArchivable({ code }: CostCode, uses: { children: number; scopes: number }): string | null {
  const { children, scopes } = uses
  if (children > 0)
    return `Cannot archive ${code}: ${children === 1 ? '1 cost code is' : `${children} cost codes are`} below it. Move or archive ${children === 1 ? 'it' : 'them'} first.`
  if (scopes > 0)
    return `Cannot archive ${code}: it is the default of ${scopes === 1 ? '1 trade' : `${scopes} trades`}. Set another default first.`
  return null
}
