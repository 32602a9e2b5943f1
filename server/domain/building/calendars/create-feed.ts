import type { CalendarFeedWithUrl } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as communities from '../../land/communities/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { issueFeedUrl } from './feed-url.ts'
import * as feeds from './queries.ts'

/** A user has only a few devices. If there are more feeds, nobody is likely to know who has their URLs. */
const MAX_FEEDS = 20

interface NewFeed {
  vendorId: string | null
  userId: string | null
  communityId: string | null
}

/**
 * Creates a calendar feed for a vendor or a user. Throws `conflict` (`limit_reached`) if the owner already has the
 * maximum number.
 */
export async function createFeed(
  call: WriteCall,
  { vendorId, userId, communityId }: NewFeed,
): Promise<CalendarFeedWithUrl> {
  const name = await lockOwnerName(call, vendorId, userId)
  if (communityId !== null) await communities.assertExist(call, [communityId], '/communityId')
  if ((await feeds.countOpenFeeds(call, { vendorId, userId })) >= MAX_FEEDS)
    throw conflict(
      'limit_reached',
      `${name} already has ${MAX_FEEDS} calendar feeds, the maximum. Revoke one of them first.`,
    )
  const created = await feeds.insert(call, { vendorId, userId, communityId })
  const url = await issueFeedUrl(call, created.id)
  // A dry run rolls back the feed, so its URL would never work.
  return { ...created, url: call.isDryRun ? null : url }
}

/**
 * Locks the vendor or user, so that two concurrent requests cannot exceed the limit. Returns the name of the vendor or
 * user.
 */
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
