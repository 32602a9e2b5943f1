import type { Handlers } from '../../../platform/calls/operation.ts'
import { getFieldDay } from './field-day.ts'

export const fieldOperations = {
  async getFieldDay({ query }, call) {
    return { status: 200, body: await getFieldDay(call, query) }
  },
} satisfies Partial<Handlers>
