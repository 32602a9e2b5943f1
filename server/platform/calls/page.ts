import { Problem } from '../problems/problem.ts'

/** The position at which a page begins: after the record with this ID and this value of the sort field. */
export interface PagePosition {
  value: string | number | null
  id: string
}

/**
 * Returns the cursor of the next page, which is opaque to clients. The cursor contains the sort order and the position
 * of the last record on the page.
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
    // If the JSON is invalid, the function throws below.
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
 * The maximum size of a page in bytes of JSON. The record that reaches this size is the last on its page, which then
 * has `nextCursor`. This is also the maximum size of a request, so a client that does not read its response uses no
 * more memory than a client with the largest request. A page of 200 typical records is far smaller.
 */
export const MAX_PAGE_BYTES = 1024 * 1024

/** Returns how many records of these sizes fit on a page. This is at least one if there are records. */
export function countItemsThatFit(sizes: readonly number[], limit: number): number {
  const max = Math.min(sizes.length, limit)
  let bytes = 0
  let count = 0
  while (count < max && bytes < MAX_PAGE_BYTES) bytes += sizes[count++] ?? 0
  return count
}

/**
 * Returns a page with the cursor of the next page. `rows` must contain one row more than the page. Use this function
 * for rows whose size is limited by the contract.
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
