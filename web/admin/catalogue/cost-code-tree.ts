import type { CostCode } from '../../../client/contract.gen.ts'

/** A cost code at its place in the tree. */
export interface CostCodeNode {
  code: CostCode
  /** The number of codes above it. */
  depth: number
  childCount: number
}

/** Returns the codes in the order of the tree, each code directly below its parent, without those below a closed code. */
export function flattenCostCodes(codes: readonly CostCode[], closed: ReadonlySet<string>): CostCodeNode[] {
  const known = new Set(codes.map(({ id }) => id))
  const byParent = Map.groupBy(codes.toSorted(compareCodes), ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : '',
  )
  const nodes: CostCodeNode[] = []
  const visit = (parentId: string, depth: number) => {
    for (const code of byParent.get(parentId) ?? []) {
      nodes.push({ code, depth, childCount: byParent.get(code.id)?.length ?? 0 })
      if (!closed.has(code.id)) visit(code.id, depth + 1)
    }
  }
  visit('', 0)
  return nodes
}

function compareCodes(a: CostCode, b: CostCode): number {
  return a.code.localeCompare(b.code, 'en-US', { numeric: true })
}

/** Returns the IDs of a code and of all codes below it, none of which can be its parent. */
export function listCodesBelow(codes: readonly CostCode[], id: string): ReadonlySet<string> {
  const below = new Set([id])
  for (let before = 0; before !== below.size; ) {
    before = below.size
    for (const code of codes) if (code.parentId !== null && below.has(code.parentId)) below.add(code.id)
  }
  return below
}
