import type { Handlers } from '../calls/operation.ts'
import { list } from './queries.ts'

export const auditOperations = {
  async listAuditEntries({ query }, call) {
    return { status: 200, body: await list(call, query) }
  },
} satisfies Partial<Handlers>
