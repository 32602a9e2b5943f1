import { createResponseExpander } from '../server/interfaces/http/expand-response.ts'
import type { Contract, Operation, SchemaReference } from '../server/platform/calls/contract.ts'
import { Json } from '../server/platform/calls/json.ts'

/** Expands the links in examples with the same code as the service. */
export interface LinkExpander {
  /** Returns the operation's example with its linked records. */
  shown(operation: Operation, paths: readonly string[], example: unknown): Promise<unknown>
}

export function createLinkExpander(contract: Contract): LinkExpander {
  const expanding = createResponseExpander<null>({
    contract,
    // The record to expand is passed as the body. Linked records are requested by ID.
    handle: async (operation, { query: { ids }, body }) => ({
      status: 200,
      body: Array.isArray(ids) ? listRecords(contract, operation, ids.map(String)) : (body as object),
    }),
    permit() {},
  })
  return {
    async shown(operation, paths, example) {
      const { body } = await expanding.reply(operation, paths, { path: {}, query: {}, body: example }, null)
      return body instanceof Json ? body.value : body
    },
  }
}

/**
 * Returns a record for each ID. If no example has the ID, uses another example, because the mock returns an example for
 * every ID.
 */
function listRecords(contract: Contract, { declaration }: Operation, ids: readonly string[]): object {
  type Shown = { content?: Record<string, { examples?: Record<string, { value: Page } | SchemaReference> }> }
  const response = contract.resolve<Shown>(declaration.responses['200'] as Shown)
  const examples = Object.values(response.content?.['application/json']?.examples ?? {})
  const records = examples.flatMap((example) => contract.resolve<{ value: Page }>(example).value.data)
  const data = ids.map((id) => ({ ...(records.find((record) => record.id === id) ?? records[0]), id }))
  return { data, nextCursor: null }
}

interface Page {
  data: { id: string }[]
}
