import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalidTransition } from '../../../platform/problems/problem.ts'
import { syncRows } from '../../../platform/resources/sync-rows.ts'
import { toAddress } from '../../../platform/values/address.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { explainWhyNoHomeCanBeAdded } from '../communities/community.ts'
import * as communities from '../communities/queries.ts'
import { beginWarranty } from './begin-warranty.ts'
import { computePlanChanges } from './compute-plan-changes.ts'
import {
  buildHome,
  computeHomeStatusFields,
  explainWhyHomeCannotBeArchived,
  formatHistoryReason,
  listPossibleStatuses,
} from './home.ts'
import { assertCanChangeHomeStatus } from './home-guards.ts'
import { resolvePlan } from './planned-home.ts'
import * as homes from './queries.ts'
import { setSelectionDeadlines } from './selection-deadlines.ts'
import { defineHomeSync } from './sync-homes.ts'

export const homeOperations = {
  async listHomes({ query }, call) {
    return { status: 200, body: await homes.list(call, query) }
  },

  async createHome({ body }, call) {
    const home = await call.write(async (call) => {
      await communities.assertExist(call, [body.communityId], '/communityId')
      // Lock the community while its lots are counted, so that two homes cannot use the last lot.
      const community = await communities.lock(call, body.communityId)
      const reason = explainWhyNoHomeCanBeAdded(community, await communities.countTakenLots(call, community.id))
      if (reason !== null) throw conflict('not_available', reason)
      const created = await homes.insert(call, buildHome(body, await resolvePlan(call, body, community)))
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      await recordEvent(call, 'home.created', created)
      return created
    })
    return { status: 201, body: home }
  },

  async syncHomes({ body }, call) {
    return { status: 200, body: await syncRows(call, body, defineHomeSync(body.match)) }
  },

  async getHome({ path }, call) {
    return { status: 200, body: await homes.find(call, path.homeId) }
  },

  async updateHome({ path, body, ifMatch }, call) {
    const home = await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      assertIfMatch(ifMatch, before)
      const { address, ...rest } = body
      const after = await homes.update(call, before, {
        ...rest,
        ...(address !== undefined && { address: toAddress(address) }),
        ...(await computePlanChanges(call, before, body)),
      })
      if (after.version !== before.version) await recordEvent(call, 'home.updated', after, before)
      return after
    })
    return { status: 200, body: home }
  },

  async archiveHome({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      if (before.archivedAt === null) {
        const reason = explainWhyHomeCannotBeArchived(before, await homes.countOpenOrders(call, before.id))
        if (reason !== null) throw conflict('in_use', reason)
      }
      const after = await homes.archive(call, before, ifMatch)
      if (before.archivedAt !== null) return
      await homes.archiveSchedule(call, after.id, 'all')
      await recordEvent(call, 'home.updated', after, before)
    })
    return { status: 204 }
  },

  async changeHomeStatus({ path, body }, call) {
    const home = await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      const allowed = listPossibleStatuses(before)
      if (!allowed.includes(body.status)) throw invalidTransition(before.status, body.status, allowed)
      // A home can be archived without a change of its status, so check for this here. A home with the status
      // `archived` has no allowed status changes.
      if (before.archivedAt !== null)
        throw conflict('archived', `Cannot change the status of ${before.name}: it is archived.`)
      const override = await assertCanChangeHomeStatus(call, before, body)
      const community = await communities.find(call, before.communityId)
      const after = await homes.update(call, before, {
        status: body.status,
        ...computeHomeStatusFields(before, body.status, toLocalDate(community.timeZone, call.now), call.now),
      })
      if (after.status === 'on_hold' || before.status === 'on_hold') await homes.recalculateNoticeTimes(call, after.id)
      if (after.status === 'cancelled') await homes.archiveSchedule(call, after.id, 'left')
      if (after.status === 'closed') await beginWarranty(call, after)
      if (after.status === 'archived') await homes.archiveSchedule(call, after.id, 'all')
      await recordStatusChange(call, {
        id: after.id,
        from: before.status,
        to: after.status,
        reason: formatHistoryReason(body.reason, override),
      })
      await recordEvent(call, 'home.status_changed', after, before)
      if (after.startDate !== before.startDate) await setSelectionDeadlines(call, after, community)
      return after
    })
    return { status: 200, body: home }
  },
} satisfies Partial<Handlers>
