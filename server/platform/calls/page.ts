import { Problem } from '../problems/problem.ts'

/** Where a page begins: after the item with this value in the sort field and this ID. */
export interface PagePosition {
  value: string | number | null
  id: string
}

/** Returns a cursor, which is opaque to callers. It contains its sort order and the last item of the previous page. */
export function writeCursor(sort: string, position: PagePosition): string {
  return Buffer.from(JSON.stringify([sort, position.value, position.id])).toString('base64url')
}

export function readCursor(sort: string, cursor: string): PagePosition {
  try {
    const [madeFor, value, id, ...more] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    const isValue = value === null || typeof value === 'number' || (typeof value === 'string' && !value.includes('\0'))
    if (madeFor === sort && isValue && typeof id === 'string' && !id.includes('\0') && more.length === 0) {
      return { value, id }
    }
  } catch {
    // Invalid JSON throws below.
  }
  throw invalidCursor()
}

export function invalidCursor(): Problem {
  return new Problem(
    'invalid_cursor',
    'The cursor is malformed or belongs to a different sort order. Start again without a cursor.',
    {
      errors: [
        { pointer: 'cursor', code: 'invalid_cursor', message: 'is malformed or belongs to a different sort order' },
      ],
    },
  )
}

/**
 * A page ends with the item that reaches this size in bytes of JSON, and then has `nextCursor`. It equals the maximum
 * of a request, and 200 records of normal size are far below it. So a client that does not read its response takes no
 * more memory than one that does not stop sending.
 */
export const MAX_PAGE_BYTES = 1024 * 1024

/** Returns how many items of these sizes fit into a page: at least one, if there is any. */
export function countItemsThatFit(sizes: readonly number[], limit: number): number {
  const max = Math.min(sizes.length, limit)
  let bytes = 0
  let count = 0
  while (count < max && bytes < MAX_PAGE_BYTES) bytes += sizes[count++] ?? 0
  return count
}

/**
 * Returns a page and the cursor of the next one, given one more row than the page holds. For rows that the contract
 * keeps short.
 */
export function toPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  sort: string,
  sortValue: (row: Row) => PagePosition['value'],
): { data: Row[]; nextCursor: string | null } {
  const last = rows[limit - 1]
  if (rows.length <= limit || last === undefined) return { data: rows, nextCursor: null }
  return { data: rows.slice(0, limit), nextCursor: writeCursor(sort, { value: sortValue(last), id: last.id }) }
}
