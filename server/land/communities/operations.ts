import type { Community } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import type { Call } from '../../http/call.ts'
import type { Some } from '../../http/operation.ts'
import { assertMove, problem } from '../../http/problem.ts'
import { COMMUNITY_MOVES, checkTimeZone, lotsAreTaken, newCommunity, reasonNotToEnd } from './community.ts'
import * as communities from './queries.ts'

export const communityOperations: Some<
  | 'listCommunities'
  | 'createCommunity'
  | 'getCommunity'
  | 'updateCommunity'
  | 'archiveCommunity'
  | 'changeCommunityStatus'
> = {
  async listCommunities({ query }, call) {
    return { status: 200, body: await communities.list(call.db, call.organizationId, query) }
  },

  async createCommunity({ body }, call) {
    checkTimeZone(body.timeZone)
    const community = await call.write(async (trx) => {
      const created = await communities.insert(trx, call, newCommunity(body, call.timeZone))
      await recordStatusChange(trx, call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: community, headers: { Location: `/api/ext/communities/${community.id}` } }
  },

  async getCommunity({ path }, call) {
    return { status: 200, body: await communities.find(call.db, call.organizationId, path.communityId) }
  },

  async updateCommunity({ path, body }, call) {
    checkTimeZone(body.timeZone)
    const community = await call.write(async (trx) => {
      const before = await communities.lock(trx, call.organizationId, path.communityId)
      if (body.lotCount != null) {
        const taken = await communities.countTakenLots(trx, call.organizationId, before.id)
        if (body.lotCount < taken) throw problem('conflict', lotsAreTaken(before.name, taken))
      }
      return communities.update(trx, call, before, body)
    })
    return { status: 200, body: community }
  },

  async archiveCommunity({ path }, call) {
    await call.write(async (trx) => {
      const before = await communities.lock(trx, call.organizationId, path.communityId)
      if (before.archivedAt === null) await assertCanEnd(trx, call, before)
      await communities.archive(trx, call, before)
    })
    return { status: 204 }
  },

  async changeCommunityStatus({ path, body }, call) {
    const community = await call.write(async (trx) => {
      const before = await communities.lock(trx, call.organizationId, path.communityId)
      if (before.archivedAt !== null) throw problem('conflict', `${before.name} is archived.`)
      assertMove(COMMUNITY_MOVES, before.status, body.status)
      if (body.status === 'closed') await assertCanEnd(trx, call, before)
      const after = await communities.update(trx, call, before, { status: body.status })
      await recordStatusChange(trx, call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      return after
    })
    return { status: 200, body: community }
  },
}

async function assertCanEnd(trx: Db, call: Call, community: Community): Promise<void> {
  const reason = reasonNotToEnd(community, await communities.countOpenHomes(trx, call.organizationId, community.id))
  if (reason !== null) throw problem('conflict', reason)
}
