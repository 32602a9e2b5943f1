import type { Handlers } from '../../../platform/calls/operation.ts'
import { searchRecords } from './search-records.ts'

export const searchOperations = {
  async search({ query }, call) {
    return { status: 200, body: await searchRecords(call, query) }
  },
} satisfies Partial<Handlers>
