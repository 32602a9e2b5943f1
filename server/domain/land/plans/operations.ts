import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict } from '../../../platform/problems/problem.ts'
import * as communities from '../communities/queries.ts'
import {
  assertUniqueNames,
  buildPlan,
  computeRevisionFields,
  describeElevationsInUse,
  listRemovedElevations,
  PLAN_MOVES,
  toPlanChanges,
} from './plan.ts'
import * as plans from './queries.ts'

export const planOperations = {
  async listPlans({ query }, call) {
    return { status: 200, body: await plans.list(call, query) }
  },

  async createPlan({ body }, call) {
    assertUniqueNames(body)
    const plan = await call.write(async (call) => {
      await communities.assertExist(call, body.communityIds, '/communityIds')
      const created = await plans.insert(call, buildPlan(body))
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: plan }
  },

  async getPlan({ path }, call) {
    return { status: 200, body: await plans.find(call, path.planId) }
  },

  async updatePlan({ path, body, ifMatch }, call) {
    assertUniqueNames(body)
    const changes = toPlanChanges(body)
    const plan = await call.write(async (call) => {
      const before = await plans.lock(call, path.planId)
      assertIfMatch(ifMatch, before)
      if (before.status === 'retired')
        throw conflict('wrong_status', `Cannot change ${before.code}: the plan is retired.`)
      if (body.communityIds !== undefined) await communities.assertExist(call, body.communityIds, '/communityIds')
      const removed = listRemovedElevations(before, changes)
      const lineCounts = removed.length === 0 ? [] : await plans.countTakeoffLines(call, before, removed)
      if (lineCounts.length > 0) throw conflict('in_use', describeElevationsInUse(before, lineCounts))
      const after = await plans.update(call, before, { ...changes, ...computeRevisionFields(before, changes) })
      if (after.revision !== before.revision) {
        await plans.copyTakeoff(call, after)
        await recordStatusChange(call, { id: after.id, from: before.status, to: after.status })
      }
      return after
    })
    return { status: 200, body: plan }
  },

  async archivePlan({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await plans.lock(call, path.planId)
      assertIfMatch(ifMatch, before)
      const open = before.archivedAt === null ? await plans.countOpenHomes(call, before.id) : 0
      if (open > 0) {
        const homes = open === 1 ? '1 unfinished home uses' : `${open} unfinished homes use`
        throw conflict('in_use', `Cannot archive ${before.code}: ${homes} this plan. Retire the plan instead.`)
      }
      await plans.archive(call, before)
    })
    return { status: 204 }
  },

  async changePlanStatus({ path, body }, call) {
    const plan = await call.write(async (call) => {
      const before = await plans.lock(call, path.planId)
      if (before.archivedAt !== null)
        throw conflict('archived', `Cannot change the status of ${before.code}: the plan is archived.`)
      assertTransition(PLAN_MOVES, before.status, body.status)
      const isRelease = body.status === 'released'
      if (isRelease) await plans.storeRevision(call, before)
      const after = await plans.update(call, before, {
        status: body.status,
        ...(isRelease && { releasedRevision: before.revision }),
      })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      return after
    })
    return { status: 200, body: plan }
  },

  async listPlanRevisions({ path, query }, call) {
    await plans.find(call, path.planId)
    return { status: 200, body: await plans.listRevisions(call, query, { planId: path.planId }) }
  },
} satisfies Partial<Handlers>
