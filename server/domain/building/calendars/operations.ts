import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { assertNotBrowserToken } from '../../../platform/keys/browser-token.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { issueFeedAddress } from './feed-address.ts'
import * as feeds from './queries.ts'
import { getWorkload } from './workload.ts'

/** A person has a few devices. More feeds are a sign that nobody knows who has their URLs. */
const MAX_FEEDS = 20

export const calendarOperations = {
  async listCalendarFeeds({ query }, call) {
    return { status: 200, body: await feeds.list(call, query) }
  },

  async createCalendarFeed({ body }, call) {
    assertNotBrowserToken(call)
    const { vendorId = null, userId = null, communityId = null } = body
    const feed = await call.write(async (call) => {
      const name = await lockOwnerName(call, vendorId, userId)
      if (communityId !== null) await communities.assertExist(call, [communityId], '/communityId')
      if ((await feeds.countOpenFeeds(call, { vendorId, userId })) >= MAX_FEEDS)
        throw conflict(
          'limit_reached',
          `${name} already has ${MAX_FEEDS} calendar feeds, the maximum. Revoke one of them first.`,
        )
      const created = await feeds.insert(call, { vendorId, userId, communityId })
      const url = await issueFeedAddress(call, created.id)
      // A dry run's URL would never work, because the feed is rolled back.
      return { ...created, url: call.isDryRun ? null : url }
    })
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

/** Returns the name of the vendor or user and locks it, so that two concurrent requests cannot exceed the limit. */
async function lockOwnerName(call: WriteCall, vendorId: string | null, userId: string | null): Promise<string> {
  if ((vendorId === null) === (userId === null)) {
    const message = vendorId === null ? 'is required unless userId is set' : 'cannot be combined with userId'
    throw validationFailed([{ pointer: '/vendorId', code: vendorId === null ? 'required' : 'exclusive', message }])
  }
  if (vendorId !== null) {
    await vendors.assertExist(call, [vendorId], '/vendorId')
    const { companyName, archivedAt, status } = await vendors.lock(call, vendorId)
    if (archivedAt !== null)
      throw conflict('vendor_archived', `Cannot create a calendar feed: ${companyName} is archived.`)
    if (status === 'inactive')
      throw conflict('vendor_inactive', `Cannot create a calendar feed: ${companyName} is inactive.`)
    return companyName
  }
  const user = await feeds.lockUser(call, userId ?? '')
  if (user === undefined) throw unknownReference(['/userId'])
  if (user.status === 'disabled')
    throw conflict('user_disabled', `Cannot create a calendar feed: ${user.name} is disabled.`)
  return user.name
}
