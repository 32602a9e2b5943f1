import type { Handlers } from '../calls/operation.ts'
import { listEntries } from './queries.ts'

export const auditOperations = {
  async listAuditEntries({ query }, call) {
    return { status: 200, body: await listEntries(call, query) }
  },
} satisfies Partial<Handlers>
