import type { Handlers } from '../../../platform/calls/operation.ts'
import { search } from './search.ts'

export const searchOperations = {
  async search({ query }, call) {
    return { status: 200, body: await search(call, query) }
  },
} satisfies Partial<Handlers>
