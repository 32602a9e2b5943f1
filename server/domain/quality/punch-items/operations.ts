import type { PunchItem, PunchItemUpdate } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { assertAssigneesExist, assertTaskBelongsToHome } from './assignees.ts'
import { changePunchItemStatus, lockPunchItem, noteListChange, scheduleAssignmentNotice } from './change-punch-item.ts'
import { addPunchItem } from './create-punch-item.ts'
import { draftBackcharge } from './draft-backcharge.ts'
import { assertAssigneeCanChange, assertItemAssignable } from './punch-item.ts'
import * as punchItems from './queries.ts'

export const punchItemOperations = {
  async listPunchItems({ query }, call) {
    return { status: 200, body: await punchItems.list(call, query) }
  },

  async createPunchItem({ query, body }, call) {
    return { status: 201, body: await call.write((call) => addPunchItem(call, body, query.createScopes)) }
  },

  async getPunchItem({ path }, call) {
    return { status: 200, body: await punchItems.find(call, path.punchItemId) }
  },

  async updatePunchItem({ path, query, body, ifMatch }, call) {
    const item = await call.write(async (call) => {
      const before = await lockPunchItem(call, path.punchItemId)
      assertIfMatch(ifMatch, before)
      return updateItem(call, before, body, query.createScopes)
    })
    return { status: 200, body: item }
  },

  async changePunchItemStatus({ path, body }, call) {
    return { status: 200, body: await call.write((call) => changePunchItemStatus(call, path.punchItemId, body)) }
  },

  async backchargePunchItem({ path, body }, call) {
    return { status: 200, body: await call.write((call) => draftBackcharge(call, path.punchItemId, body)) }
  },
} satisfies Partial<Handlers>

async function updateItem(
  call: WriteCall,
  before: PunchItem,
  body: PunchItemUpdate,
  createScopes: boolean | undefined,
): Promise<PunchItem> {
  const { externalId: _, ...changes } = body
  const isSettled = before.status === 'verified' || before.status === 'cancelled'
  if (isSettled && Object.keys(changes).length > 0)
    throw conflict('wrong_status', `Cannot change ${before.number}: it is ${describeStatus(before.status)}.`)
  const { vendorId, assigneeUserId, dueDate } = body
  const isReassigned = vendorId !== undefined || assigneeUserId !== undefined || dueDate !== undefined
  if (isReassigned) assertAssigneeCanChange(before)
  await assertAssigneesExist(call, body)
  await assertTaskBelongsToHome(call, before.homeId, body.taskId)
  const scope = body.scope == null ? body.scope : await scopes.requireTrade(call, body.scope, createScopes)
  const isOtherVendor = vendorId !== undefined && vendorId !== before.vendorId
  const after = await punchItems.update(call, before, {
    ...body,
    scope,
    // The previously assigned vendor promised this date.
    ...(isOtherVendor && { plannedDate: null }),
  })
  await noteListChange(call, before, after)
  if (after.status === 'assigned') assertItemAssignable(after.number, after)
  if (isOtherVendor) await scheduleAssignmentNotice(call, after)
  return after
}
