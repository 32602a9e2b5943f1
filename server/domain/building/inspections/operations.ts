import type { Inspection, Task } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as homes from '../../land/homes/queries.ts'
import { requirePermit, resolveInspectionItems } from './inspection.ts'
import * as inspections from './queries.ts'
import { findTaskOfHome } from './task-queries.ts'

export const inspectionOperations = {
  async listInspections({ query }, call) {
    return { status: 200, body: await inspections.list(call, query) }
  },

  async createInspection({ query, body }, call) {
    const inspection = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      // Lock the home, as in every change of a schedule, so that the attempts of a task have consecutive numbers.
      const home = await homes.lock(call, body.homeId)
      if (home.archivedAt !== null)
        throw conflict('archived', `Cannot add an inspection to ${home.name}: it is archived.`)
      const task = body.taskId == null ? null : await requireInspectionTask(call, body.homeId, body.taskId)
      const name = body.name ?? task?.name
      if (name === undefined)
        throw validationFailed([{ pointer: '/name', code: 'required', message: 'is required unless taskId is set' }])
      const last = task === null ? undefined : await inspections.findLastAttempt(call, task.id)
      if (last !== undefined && last.status !== 'completed')
        throw conflict(
          'period_taken',
          `${name} already has an inspection that is ${last.status}. Record its result or cancel it first.`,
          { conflictingId: last.id },
        )
      const { authority, window, inspectorName, notes, externalId, scheduledDate = null } = body
      const place = { homeId: home.id, name, authority }
      const provided = body.items ?? task?.checklist.map(({ text }) => ({ text })) ?? []
      const created = await inspections.insert(call, {
        ...{ ...place, communityId: home.communityId, taskId: task?.id ?? null, currency: call.currency },
        permitId: await requirePermit(call, place, body.permitId ?? null, scheduledDate),
        ...{ attempt: (last?.attempt ?? 0) + 1, previousId: last?.id ?? null, scheduledDate, window, inspectorName },
        status: scheduledDate === null ? 'requested' : 'scheduled',
        items: await resolveInspectionItems(call, provided, [], query.createScopes),
        ...{ releasedScopes: [], notes, externalId },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      if (created.status === 'scheduled') await recordEvent(call, 'inspection.scheduled', created)
      return created
    })
    return { status: 201, body: inspection }
  },

  async getInspection({ path }, call) {
    return { status: 200, body: await inspections.find(call, path.inspectionId) }
  },

  async updateInspection({ path, query, body, ifMatch }, call) {
    const inspection = await call.write(async (call) => {
      const before = await inspections.lock(call, path.inspectionId)
      assertIfMatch(ifMatch, before)
      const { notes, externalId, items, ...planned } = body
      if (items !== undefined || Object.values(planned).some((value) => value !== undefined)) assertOpen(before)
      const { name = before.name, authority = before.authority, permitId = before.permitId } = planned
      const place = { homeId: before.homeId, name, authority }
      const isPermitConcerned = planned.permitId !== undefined || planned.authority !== undefined
      return inspections.update(call, before, {
        ...{ ...planned, notes, externalId },
        ...(isPermitConcerned && { permitId: await requirePermit(call, place, permitId, before.scheduledDate) }),
        ...(items !== undefined && {
          items: await resolveInspectionItems(call, items, before.items, query.createScopes),
        }),
      })
    })
    return { status: 200, body: inspection }
  },
} satisfies Partial<Handlers>

function assertOpen({ name, status }: Inspection): void {
  if (status === 'completed' || status === 'cancelled')
    throw conflict(
      'wrong_status',
      `Cannot edit ${name}: it is ${describeStatus(status)}. Only its notes and externalId can be changed.`,
    )
}

/** Returns the task to inspect. Throws unless the task is an open inspection task of the home. */
async function requireInspectionTask(
  call: WriteCall,
  homeId: string,
  taskId: string,
): Promise<Pick<Task, 'id' | 'name' | 'checklist'>> {
  const task = await findTaskOfHome(call, homeId, taskId)
  if (task === undefined) throw unknownReference(['/taskId'])
  if (task.taskKind !== 'inspection')
    throw conflict('not_suitable', `Cannot inspect ${task.name}: its taskKind is ${task.taskKind}, not inspection.`)
  if (task.status === 'completed' || task.status === 'skipped' || task.archivedAt !== null)
    throw conflict(
      'not_suitable',
      `Cannot inspect ${task.name}: the task is ${task.archivedAt === null ? task.status : 'archived'}.`,
    )
  return task
}
