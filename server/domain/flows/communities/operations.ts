import type { Community } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import {
  assertValidTimeZone,
  buildCommunity,
  describeOccupiedLots,
  explainWhyCommunityCannotBeClosed,
} from '../../land/communities/community.ts'
import { COMMUNITY_MOVES } from '../../land/communities/community-moves.ts'
import * as communities from '../../land/communities/queries.ts'
import { moveBidDeadlines } from './move-bid-deadlines.ts'
import { hasNewCalendar, rescheduleHomes } from './reschedule-homes.ts'
import { summarizeCommunity } from './summarize-community.ts'
import { defineCommunitySync } from './sync-communities.ts'

export const communityOperations = {
  async listCommunities({ query }, call) {
    return { status: 200, body: await communities.list(call, query) }
  },

  async createCommunity({ body }, call) {
    assertValidTimeZone(body.timeZone)
    const community = await call.write(async (call) => {
      const created = await communities.insert(call, buildCommunity(body, call.timeZone))
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: community }
  },

  async syncCommunities({ body }, call) {
    return { status: 200, body: await syncRows(call, body, defineCommunitySync(body.match)) }
  },

  async getCommunity({ path }, call) {
    return { status: 200, body: await communities.find(call, path.communityId) }
  },

  async getCommunitySummary({ path }, call) {
    return { status: 200, body: await summarizeCommunity(call, await communities.find(call, path.communityId)) }
  },

  async updateCommunity({ path, body, ifMatch }, call) {
    assertValidTimeZone(body.timeZone)
    const community = await call.write(async (call) => {
      const before = await communities.lock(call, path.communityId)
      if (body.lotCount != null) {
        const taken = await communities.countTakenLots(call, before.id)
        if (body.lotCount < taken) throw conflict('in_use', describeOccupiedLots(before.name, taken))
      }
      const after = await communities.update(call, before, body, ifMatch)
      if (after.timeZone !== before.timeZone) {
        await moveBidDeadlines(call, after.id)
        await communities.moveNoticeTimes(call, after.id, before.timeZone, after.timeZone)
      }
      return { ...after, reschedule: hasNewCalendar(before, after) ? await rescheduleHomes(call, after) : null }
    })
    return { status: 200, body: community }
  },

  async archiveCommunity({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await communities.lock(call, path.communityId)
      if (before.archivedAt === null) await assertCanClose(call, before)
      await communities.archive(call, before, ifMatch)
    })
    return { status: 204 }
  },

  async changeCommunityStatus({ path, body }, call) {
    const community = await call.write(async (call) => {
      const before = await communities.lock(call, path.communityId)
      if (before.archivedAt !== null)
        throw conflict('archived', `Cannot change the status of ${before.name}: it is archived.`)
      assertTransition(COMMUNITY_MOVES, before.status, body.status)
      if (body.status === 'closed') await assertCanClose(call, before)
      const after = await communities.update(call, before, { status: body.status })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      return after
    })
    return { status: 200, body: community }
  },
} satisfies Partial<Handlers>

async function assertCanClose(call: WriteCall, community: Community): Promise<void> {
  const reason = explainWhyCommunityCannotBeClosed(community, await communities.countOpenHomes(call, community.id))
  if (reason !== null) throw conflict('in_use', reason)
}
