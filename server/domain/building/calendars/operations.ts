import type { Handlers } from '../../../platform/calls/operation.ts'
import { assertNotBrowserToken } from '../../../platform/keys/browser-token.ts'
import { createFeed } from './create-feed.ts'
import * as feeds from './queries.ts'
import { getWorkload } from './workload.ts'

export const calendarOperations = {
  async listCalendarFeeds({ query }, call) {
    return { status: 200, body: await feeds.list(call, query) }
  },

  async createCalendarFeed({ body }, call) {
    assertNotBrowserToken(call)
    const { vendorId = null, userId = null, communityId = null } = body
    const feed = await call.write((call) => createFeed(call, { vendorId, userId, communityId }))
    return { status: 201, body: feed }
  },

  async getCalendarFeed({ path }, call) {
    return { status: 200, body: await feeds.find(call, path.calendarFeedId) }
  },

  async revokeCalendarFeed({ path }, call) {
    const feed = await call.write(async (call) => feeds.archive(call, await feeds.lock(call, path.calendarFeedId)))
    return { status: 200, body: feed }
  },

  async getVendorWorkload({ query }, call) {
    return { status: 200, body: await getWorkload(call, query) }
  },
} satisfies Partial<Handlers>
