import { formatCount } from '../../ui/text-formats.ts'
import { isEmptyRow, type TakeoffCells, type TakeoffRow } from './takeoff-rows.ts'

/** The changes of a takeoff since it was loaded, which are smaller than all of its rows. */
export interface TakeoffChanges {
  /** The version of the takeoff that was changed. */
  version: number
  changed: readonly TakeoffRow[]
  removed: readonly string[]
}

export function findChanges(
  version: number,
  before: readonly TakeoffRow[],
  after: readonly TakeoffRow[],
): TakeoffChanges {
  const stored = new Map(before.map((row) => [row.key, row]))
  const kept = new Set(after.map(({ key }) => key))
  return {
    version,
    changed: after.filter((row) => {
      const one = stored.get(row.key)
      return one === undefined ? !isEmptyRow(row) : one !== row && !isSame(one.cells, row.cells)
    }),
    removed: before.filter(({ key }) => !kept.has(key)).map(({ key }) => key),
  }
}

function isSame(a: TakeoffCells, b: TakeoffCells): boolean {
  return Object.keys({ ...a, ...b }).every((name) => {
    const column = name as keyof TakeoffCells
    return (a[column] ?? '') === (b[column] ?? '')
  })
}

/** Returns the rows with the changes. Rows that another user has added or changed since are kept. */
export function applyChanges(
  before: readonly TakeoffRow[],
  { changed, removed }: Pick<TakeoffChanges, 'changed' | 'removed'>,
): TakeoffRow[] {
  const byKey = new Map(changed.map((row) => [row.key, row]))
  const gone = new Set(removed)
  const kept = before.filter(({ key }) => !gone.has(key)).map((row) => byKey.get(row.key) ?? row)
  const known = new Set(before.map(({ key }) => key))
  return [...kept, ...changed.filter(({ key }) => !known.has(key))]
}

/** `2 lines added, 1 changed, 3 removed` */
export function describeChanges({ changed, removed }: TakeoffChanges, before: readonly TakeoffRow[]): string {
  const known = new Set(before.map(({ key }) => key))
  const counts = [
    [changed.filter(({ key }) => !known.has(key)).length, 'added'],
    [changed.filter(({ key }) => known.has(key)).length, 'changed'],
    [removed.length, 'removed'],
  ] as const
  const [first, ...others] = counts.filter(([count]) => count > 0)
  if (first === undefined) return ''
  return [`${formatCount(first[0], 'line')} ${first[1]}`, ...others.map((one) => one.join(' '))].join(', ')
}
