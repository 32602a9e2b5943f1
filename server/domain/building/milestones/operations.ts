import type { Milestone } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalidTransition, notFound, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as homes from '../../land/homes/queries.ts'
import { explainWhyScheduleIsFixed, formatTaskNames } from '../schedule/schedule-guards.ts'
import { assertTasksBelongToHome, assertValidMilestone, listOpenTasks, MAX_MILESTONES } from './milestone.ts'
import * as milestones from './queries.ts'

export const milestoneOperations = {
  async listMilestones({ query }, call) {
    return { status: 200, body: await milestones.list(call, query) }
  },

  async createMilestone({ body }, call) {
    const milestone = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      // Lock the home before adding up its draw shares, so that concurrent requests never exceed 100 percent.
      const home = await lockExistingHome(call, body.homeId)
      const { count, percent } = await milestones.computeDrawTotals(call, home.id, null)
      if (count >= MAX_MILESTONES)
        throw conflict(
          'limit_reached',
          `${home.name} already has ${MAX_MILESTONES} milestones, the maximum. Archive a milestone first.`,
        )
      assertValidMilestone(
        { ...body, drawPercent: body.drawPercent ?? null, drawAmount: body.drawAmount ?? null },
        percent,
      )
      assertTasksBelongToHome(body.taskIds, await milestones.listTasks(call, home.id, body.taskIds))
      const { communityId } = home
      const created = await milestones.insert(call, {
        ...{ ...body, communityId, status: 'pending' as const, completedByTasks: false },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: milestone }
  },

  async getMilestone({ path }, call) {
    return { status: 200, body: await milestones.find(call, path.milestoneId) }
  },

  async updateMilestone({ path, body, ifMatch }, call) {
    const milestone = await call.write(async (call) => {
      const { before } = await lockMilestone(call, path.milestoneId)
      assertIfMatch(ifMatch, before)
      const isHow = body.taskIds !== undefined || body.autoComplete !== undefined
      if (isHow && before.status === 'completed')
        throw conflict(
          'wrong_status',
          `Cannot change taskIds or autoComplete: ${before.name} is completed. Reopen the milestone first.`,
        )
      const { percent } = await milestones.computeDrawTotals(call, before.homeId, before.id)
      const { drawPercent = before.drawPercent, drawAmount = before.drawAmount } = body
      const { taskIds = before.taskIds, autoComplete = before.autoComplete } = body
      assertValidMilestone({ drawPercent, drawAmount, taskIds, autoComplete }, percent)
      if (body.taskIds !== undefined) {
        assertTasksBelongToHome(taskIds, await milestones.listTasks(call, before.homeId, taskIds))
      }
      return milestones.update(call, before, body)
    })
    return { status: 200, body: milestone }
  },

  async archiveMilestone({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const found = await milestones.find(call, path.milestoneId)
      assertIfMatch(ifMatch, found)
      if (found.archivedAt !== null) return
      const { before } = await lockMilestone(call, found.id)
      if (before.status === 'completed')
        throw conflict('wrong_status', `Cannot archive ${before.name}: it is completed. Reopen the milestone first.`)
      await milestones.archive(call, before, ifMatch)
    })
    return { status: 204 }
  },

  async completeMilestone({ path, body }, call) {
    const milestone = await call.write(async (call) => {
      const { before, home } = await lockMilestone(call, path.milestoneId)
      if (before.status === 'completed') throw invalidTransition(before.status, 'completed', ['pending'])
      const today = toLocalDate(home.timeZone, call.now)
      const { date = today, force, reason = null } = body
      if (force && reason === null)
        throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when force is true' }])
      if (date > today)
        throw validationFailed([{ pointer: '/date', code: 'maximum', message: `must not be after today (${today})` }])
      const open = force ? [] : listOpenTasks(before, await milestones.listTasks(call, home.id, before.taskIds))
      if (open.length > 0) {
        const detail = `Cannot complete ${before.name}: it waits for ${formatTaskNames(open)}. To complete it anyway, set force and a reason.`
        throw conflict('open_work', detail)
      }
      const after = await milestones.update(call, before, { status: 'completed', completedDate: date })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
      await recordEvent(call, 'milestone.completed', after, before)
      return after
    })
    return { status: 200, body: milestone }
  },

  async reopenMilestone({ path, body }, call) {
    const milestone = await call.write(async (call) => {
      const { before } = await lockMilestone(call, path.milestoneId)
      if (before.status === 'pending') throw invalidTransition(before.status, 'pending', ['completed'])
      const changes = { status: 'pending' as const, completedDate: null, completedByTasks: false }
      const after = await milestones.update(call, before, changes)
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      return after
    })
    return { status: 200, body: milestone }
  },
} satisfies Partial<Handlers>

/** Locks a milestone and its home, and returns both. Locks the home first, in the same order as completing a task. */
async function lockMilestone(call: WriteCall, id: string): Promise<{ before: Milestone; home: milestones.LockedHome }> {
  const { homeId, archivedAt, name } = await milestones.find(call, id)
  if (archivedAt !== null) throw conflict('archived', `Cannot change ${name}: it is archived.`)
  const home = await lockExistingHome(call, homeId)
  return { before: await milestones.lock(call, id), home }
}

async function lockExistingHome(call: WriteCall, id: string): Promise<milestones.LockedHome> {
  const home = await milestones.lockHome(call, id)
  if (home === undefined) throw notFound()
  const reason = explainWhyScheduleIsFixed(home)
  if (reason !== null) throw conflict('home_not_open', reason)
  return home
}
