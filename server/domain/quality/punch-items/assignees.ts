import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import * as tasks from '../../building/tasks/queries.ts'
import * as users from '../../office/users/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'

interface Assignees {
  vendorId?: string | null | undefined
  responsibleVendorId?: string | null | undefined
  assigneeUserId?: string | null | undefined
}

/** Throws unless the given vendors and user exist, and the vendor that must fix the item is not archived. */
export async function assertAssigneesExist(call: WriteCall, requested: Assignees): Promise<void> {
  const { vendorId, responsibleVendorId, assigneeUserId } = requested
  const unknown: string[] = []
  const vendor = vendorId == null ? null : await vendors.findOptional(call, vendorId)
  if (vendor === undefined) unknown.push('/vendorId')
  if (responsibleVendorId != null && (await vendors.findOptional(call, responsibleVendorId)) === undefined)
    unknown.push('/responsibleVendorId')
  if (assigneeUserId != null && (await users.findAll(call, [assigneeUserId])).length === 0)
    unknown.push('/assigneeUserId')
  if (unknown.length > 0) throw unknownReference(unknown)
  if (vendor != null && vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot assign ${vendor.companyName}: the vendor is archived.`)
}

/** Throws unless the task belongs to this home or is null. */
export async function assertTaskBelongsToHome(
  call: WriteCall,
  homeId: string,
  taskId: string | null | undefined,
): Promise<void> {
  if (taskId == null) return
  const task = await tasks.findOptional(call, taskId)
  if (task === undefined || task.homeId !== homeId) throw unknownReference(['/taskId'])
}
