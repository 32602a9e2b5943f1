import { Problem } from '../problems/problem.ts'

/** The position at which a page begins: after the item with this ID and this value in the sort field. */
export interface PagePosition {
  value: string | number | null
  id: string
}

/**
 * Returns the cursor of the next page, which is opaque to callers. The cursor contains the sort order and the position
 * of the last item on the page.
 */
export function encodeCursor(sort: string, position: PagePosition): string {
  return Buffer.from(JSON.stringify([sort, position.value, position.id])).toString('base64url')
}

export function decodeCursor(sort: string, cursor: string): PagePosition {
  try {
    const [madeFor, value, id, ...more] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    const isValue = value === null || typeof value === 'number' || (typeof value === 'string' && !value.includes('\0'))
    if (madeFor === sort && isValue && typeof id === 'string' && !id.includes('\0') && more.length === 0) {
      return { value, id }
    }
  } catch {
    // Invalid JSON causes an error below.
  }
  throw createCursorProblem()
}

export function createCursorProblem(): Problem {
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
 * A page ends with the item that reaches this size in bytes of JSON, and then has `nextCursor`. The size equals the
 * maximum size of a request. A page of 200 records of normal size is far smaller. Therefore, a client that does not
 * read its response uses no more memory than a client that sends a request of maximum size.
 */
export const MAX_PAGE_BYTES = 1024 * 1024

/** Returns the number of items of these sizes that fit on a page: at least one, if there are any items. */
export function countItemsThatFit(sizes: readonly number[], limit: number): number {
  const max = Math.min(sizes.length, limit)
  let bytes = 0
  let count = 0
  while (count < max && bytes < MAX_PAGE_BYTES) bytes += sizes[count++] ?? 0
  return count
}

/**
 * Returns a page and the cursor of the next page. `rows` must contain one row more than the page. Use this function for
 * rows whose length the contract limits.
 */
export function toPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  sort: string,
  sortValue: (row: Row) => PagePosition['value'],
): { data: Row[]; nextCursor: string | null } {
  const last = rows[limit - 1]
  if (rows.length <= limit || last === undefined) return { data: rows, nextCursor: null }
  return { data: rows.slice(0, limit), nextCursor: encodeCursor(sort, { value: sortValue(last), id: last.id }) }
}
