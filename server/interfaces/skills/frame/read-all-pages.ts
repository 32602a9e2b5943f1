import type { Call } from '../../../platform/calls/call.ts'
import type { OperationId } from '../../../platform/calls/contract.ts'
import type { ResponseBody } from '../../../platform/calls/operation.ts'
import type { WorkLimit } from './work-limit.ts'

/** The operations that return a page. */
type ListId = {
  [Id in OperationId]: ResponseBody<Id> extends { data: unknown[]; nextCursor: string | null } ? Id : never
}[OperationId]
type Item<Id extends ListId> = ResponseBody<Id> extends { data: (infer Each)[] } ? Each : never

/**
 * The number of items in a page. Parsing a page blocks the process: for three milliseconds if the page had twice this
 * size.
 */
const PAGE_SIZE = 100

/**
 * Yields the pages of a list, first to last, with the caller's permissions. Callers should load related data once for
 * each page. With one statement for each item, reading thousands of items would take longer than all other work.
 */
export async function* readAllPages<Id extends ListId>(
  call: Call,
  workLimit: WorkLimit,
  id: Id,
  query: Record<string, unknown>,
): AsyncGenerator<Item<Id>[]> {
  let cursor: string | null = null
  do {
    const page = (await call.operation(id, { limit: PAGE_SIZE, ...query, ...(cursor !== null && { cursor }) })) as {
      data: Item<Id>[]
      nextCursor: string | null
    }
    workLimit.spend(page.data.length)
    yield page.data
    cursor = page.nextCursor
  } while (cursor !== null)
}
