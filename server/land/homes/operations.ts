import { recordEvent } from '../../events/record.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import type { Handlers } from '../../http/operation.ts'
import { invalidTransition, problem } from '../../http/problem.ts'
import { wholeAddress } from '../../values/address.ts'
import { dateIn } from '../../values/calendar.ts'
import { reasonNotToBuild } from '../communities/community.ts'
import * as communities from '../communities/queries.ts'
import { consequences, movesOf, newHome, reasonNotToArchive } from './home.ts'
import * as homes from './queries.ts'

export const homeOperations = {
  async listHomes({ query }, call) {
    return { status: 200, body: await homes.list(call, query) }
  },

  async createHome({ body }, call) {
    const home = await call.write(async (call) => {
      await communities.assertExist(call, [body.communityId], '/communityId')
      // The community is locked while its lots are counted, so that two homes never take the last one.
      const community = await communities.lock(call, body.communityId)
      const reason = reasonNotToBuild(community, await communities.countTakenLots(call, community.id))
      if (reason !== null) throw problem('conflict', reason)
      const created = await homes.insert(call, newHome(body))
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      await recordEvent(call, 'home.created', created)
      return created
    })
    return { status: 201, body: home }
  },

  async getHome({ path }, call) {
    return { status: 200, body: await homes.find(call, path.homeId) }
  },

  async updateHome({ path, body, ifMatch }, call) {
    const home = await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      const { address, ...rest } = body
      const changes = { ...rest, ...(address !== undefined && { address: wholeAddress(address) }) }
      return homes.update(call, before, changes, ifMatch)
    })
    return { status: 200, body: home }
  },

  async archiveHome({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      if (before.archivedAt === null) {
        const reason = reasonNotToArchive(before, await homes.countOpenOrders(call, before.id))
        if (reason !== null) throw problem('conflict', reason)
      }
      await homes.archive(call, before, ifMatch)
    })
    return { status: 204 }
  },

  async changeHomeStatus({ path, body }, call) {
    const home = await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      const allowed = movesOf(before)
      if (!allowed.includes(body.status)) throw invalidTransition(before.status, body.status, allowed)
      // Archived with the archive operation, which keeps the status. The status `archived` allows no moves anyway.
      if (before.archivedAt !== null) throw problem('conflict', `${before.name} is archived.`)
      if (body.status === 'under_construction' && before.budgetLockedAt === null) {
        throw problem('conflict', `The budget of ${before.name} has to be locked before construction begins.`)
      }
      const { timeZone } = await communities.find(call, before.communityId)
      const after = await homes.update(call, before, {
        status: body.status,
        ...consequences(before, body.status, dateIn(timeZone, call.now), call.now),
      })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      await recordEvent(call, 'home.status_changed', after, before)
      return after
    })
    return { status: 200, body: home }
  },
} satisfies Partial<Handlers>
