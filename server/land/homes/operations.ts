import type { Home } from '../../../client/contract.gen.ts'
import { recordEvent } from '../../events/record.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import type { WriteCall } from '../../http/call.ts'
import { checkIfMatch } from '../../http/etag.ts'
import type { Handlers } from '../../http/operation.ts'
import { invalid, invalidTransition, problem, unknownReference } from '../../http/problem.ts'
import { wholeAddress } from '../../values/address.ts'
import { dateIn } from '../../values/calendar.ts'
import { isMoney, sum } from '../../values/money.ts'
import { reasonNotToBuild } from '../communities/community.ts'
import * as communities from '../communities/queries.ts'
import { elevationFault, reasonNotToBuildFrom } from '../plans/plan.ts'
import * as plans from '../plans/queries.ts'
import { consequences, movesOf, newHome, reasonNotToArchive, reasonToKeepPlan } from './home.ts'
import * as homes from './queries.ts'
import { setDeadlines } from './selection-deadlines.ts'

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
      const created = await homes.insert(call, newHome(body, await planFor(call, body, community)))
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
      checkIfMatch(ifMatch, before)
      const { address, ...rest } = body
      return homes.update(call, before, {
        ...rest,
        ...(address !== undefined && { address: wholeAddress(address) }),
        ...(await replanned(call, before, body)),
      })
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
      const after = await homes.archive(call, before, ifMatch)
      if (before.archivedAt === null) await homes.archiveTasks(call, after.id, 'all')
    })
    return { status: 204 }
  },

  async changeHomeStatus({ path, body }, call) {
    const home = await call.write(async (call) => {
      const before = await homes.lock(call, path.homeId)
      const allowed = movesOf(before)
      if (!allowed.includes(body.status)) throw invalidTransition(before.status, body.status, allowed)
      // Archiving is an operation of its own and keeps the status, so it is checked here. The status `archived` allows
      // no moves anyway.
      if (before.archivedAt !== null) throw problem('conflict', `${before.name} is archived.`)
      if (body.status === 'under_construction' && before.budgetLockedAt === null) {
        throw problem('conflict', `The budget of ${before.name} has to be locked before construction begins.`)
      }
      const open = body.status === 'completed' ? await homes.countOpenTasks(call, before.id) : 0
      if (open > 0) {
        const left = open === 1 ? '1 task is' : `${open} tasks are`
        throw problem('conflict', `${left} left to be done in the schedule of ${before.name}.`)
      }
      const community = await communities.find(call, before.communityId)
      const after = await homes.update(call, before, {
        status: body.status,
        ...consequences(before, body.status, dateIn(community.timeZone, call.now), call.now),
      })
      if (after.status === 'cancelled') await homes.archiveTasks(call, after.id, 'left')
      if (after.status === 'archived') await homes.archiveTasks(call, after.id, 'all')
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      await recordEvent(call, 'home.status_changed', after, before)
      if (after.startDate !== before.startDate) await setDeadlines(call, after, community)
      return after
    })
    return { status: 200, body: home }
  },
} satisfies Partial<Handlers>

interface Built {
  basePrice?: number | null | undefined
  planId?: string | null | undefined
  elevation?: string | null | undefined
}

type Planned = Pick<Home, 'planRevision' | 'basePrice'>

/** The revision that a home is now built from and its price, if the plan allows this place and elevation. */
async function planFor(
  call: WriteCall,
  { planId = null, elevation = null }: Built,
  community: { id: string; name: string },
): Promise<Planned> {
  if (planId === null) {
    if (elevation === null) return { planRevision: null, basePrice: null }
    throw elevationInvalid('belongs to a plan; send its planId')
  }
  const plan = await plans.findOptional(call, planId)
  if (plan === undefined) throw unknownReference(['/planId'])
  const reason = reasonNotToBuildFrom(plan, community)
  if (reason !== null) throw problem('conflict', reason)
  const basePrice = await priceWith(call, planId, plan.releasedRevision, elevation)
  return { planRevision: plan.releasedRevision, basePrice }
}

/** What changes when a home's plan or elevation changes; if the plan stays the same, so does the revision. */
async function replanned(call: WriteCall, before: Home, body: Built): Promise<Partial<Home>> {
  const { planId = before.planId, elevation = planId === before.planId ? before.elevation : null } = body
  if (planId === before.planId && elevation === before.elevation) return {}
  const reason = reasonToKeepPlan(before)
  if (reason !== null) throw problem('conflict', reason)
  const { basePrice: asked } = body
  if (planId !== null && planId === before.planId) {
    const basePrice = await priceWith(call, planId, before.planRevision, elevation)
    return { elevation, basePrice: asked === undefined ? basePrice : asked }
  }
  const community = await communities.find(call, before.communityId)
  const { planRevision, basePrice } = await planFor(call, { planId, elevation }, community)
  const selected = await homes.selectedButNotFor(call, before.id, planId)
  if (selected.length > 0)
    throw problem('conflict', `Selected for ${before.name} and not available for the plan: ${selected.join(', ')}.`)
  return { planId, elevation, planRevision, basePrice: asked === undefined ? basePrice : asked }
}

/** What the revision costs with the elevation, which it has to have; null if nobody has said it. */
async function priceWith(
  call: WriteCall,
  planId: string,
  revision: number | null,
  elevation: string | null,
): Promise<number | null> {
  const released = revision === null ? undefined : await plans.findRevision(call, planId, revision)
  const fault = elevationFault(released?.elevations ?? [], elevation)
  if (fault !== null) throw elevationInvalid(fault)
  if (released == null || released.basePrice === null) return null
  const price = sum([released.basePrice, released.elevations.find(({ code }) => code === elevation)?.price ?? 0])
  if (!isMoney(price)) throw elevationInvalid('comes to more than a home can cost')
  return price
}

function elevationInvalid(message: string) {
  return invalid([{ pointer: '/elevation', code: 'elevation', message }])
}
