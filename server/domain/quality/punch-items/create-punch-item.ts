import type { PunchItem } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { assertAssigneesExist, assertTaskBelongsToHome } from './assignees.ts'
import { scheduleAssignmentNotice } from './change-punch-item.ts'
import { lockOpenHome } from './punch-home.ts'
import { isAssignable } from './punch-item.ts'
import * as punchItems from './queries.ts'

/** A buyer reads and signs the entire list of a walkthrough, so its length is limited. */
const MAX_ITEMS = 300

/** Adds an item to a home. An item with a due date and a vendor or user to fix it is assigned immediately. */
export async function addPunchItem(
  call: WriteCall,
  body: Checked['PunchItemCreate'],
  createScopes: boolean | undefined,
): Promise<PunchItem> {
  const home = await lockOpenHome(call, body.homeId, 'add a punch item')
  await assertOpenWalkthrough(call, body)
  await assertAssigneesExist(call, body)
  await assertTaskBelongsToHome(call, home.id, body.taskId)
  const { vendorId = null, assigneeUserId = null, dueDate = null } = body
  const scope = body.scope == null ? null : await scopes.requireTrade(call, body.scope, createScopes)
  const isAssigned = isAssignable({ vendorId, assigneeUserId, dueDate })
  const created = await punchItems.insert(call, {
    ...body,
    ...{ communityId: home.communityId, scope, number: await punchItems.findNextItemNumber(call, home.id) },
    ...{ status: isAssigned ? ('assigned' as const) : ('open' as const), reopenedCount: 0 },
    assignedAt: isAssigned ? call.now.toISOString() : null,
  })
  if (created.walkthroughId !== null) await punchItems.bumpWalkthroughVersion(call, created.walkthroughId)
  await scheduleAssignmentNotice(call, created)
  await recordStatusChange(call, { id: created.id, from: null, to: created.status })
  await recordEvent(call, 'punch_item.created', created)
  return created
}

async function assertOpenWalkthrough(
  call: WriteCall,
  { homeId, walkthroughId }: Checked['PunchItemCreate'],
): Promise<void> {
  if (walkthroughId == null) return
  const walkthrough = await punchItems.findWalkthrough(call, walkthroughId)
  if (walkthrough === undefined || walkthrough.homeId !== homeId) throw unknownReference(['/walkthroughId'])
  if (walkthrough.status === 'closed')
    throw conflict('wrong_status', 'Cannot add a punch item: the walkthrough is closed. Omit walkthroughId.')
  if (walkthrough.itemCount >= MAX_ITEMS)
    throw conflict('limit_reached', `Cannot add a punch item: the walkthrough has ${MAX_ITEMS} items, the maximum.`)
}
