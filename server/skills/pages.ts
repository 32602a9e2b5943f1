import type { Call } from '../http/call.ts'
import type { OperationId } from '../http/contract.ts'
import type { Answered } from '../http/operation.ts'

/** The operations that answer a page. */
type ListId = {
  [Id in OperationId]: Answered<Id> extends { data: unknown[]; nextCursor: string | null } ? Id : never
}[OperationId]
type Item<Id extends ListId> = Answered<Id> extends { data: (infer Each)[] } ? Each : never

/** Every item of a list, page by page, as a caller would read it. */
export async function* everyItem<Id extends ListId>(
  call: Call,
  id: Id,
  query: Record<string, unknown>,
): AsyncGenerator<Item<Id>> {
  let cursor: string | null = null
  do {
    const page = (await call.operation(id, { limit: 200, ...query, ...(cursor !== null && { cursor }) })) as {
      data: Item<Id>[]
      nextCursor: string | null
    }
    yield* page.data
    cursor = page.nextCursor
  } while (cursor !== null)
}
