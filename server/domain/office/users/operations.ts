import type { Handlers } from '../../../platform/calls/operation.ts'
import * as users from './queries.ts'

export const userOperations = {
  async listUsers({ query }, call) {
    return { status: 200, body: await users.list(call, query) }
  },

  async getUser({ path }, call) {
    return { status: 200, body: await users.find(call, path.userId) }
  },
} satisfies Partial<Handlers>
