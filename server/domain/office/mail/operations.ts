import type { Handlers } from '../../../platform/calls/operation.ts'
import * as mails from './queries.ts'

export const mailOperations = {
  async listMails({ query }, call) {
    return { status: 200, body: await mails.list(call, query) }
  },
} satisfies Partial<Handlers>
