import type { Handlers } from '../calls/operation.ts'
import { listAuditEntries } from './queries.ts'

export const auditOperations = {
  async listAuditEntries({ query }, call) {
    return { status: 200, body: await listAuditEntries(call, query) }
  },
} satisfies Partial<Handlers>
