import { typeid } from 'typeid-js'
import type { VendorNotification } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { defineResource, type NewRowValues } from '../../../platform/resources/resource.ts'

export const { list, findAll } = defineResource({
  schema: 'VendorNotification',
  long: ['message', 'recipients', 'tasks'],
})

/** Stores several notifications with one statement. */
export async function insertNotifications(
  call: WriteCall,
  provided: readonly Required<NewRowValues<VendorNotification>>[],
): Promise<VendorNotification[]> {
  const now = call.now.toISOString()
  const rows = provided.map((values) => ({
    ...values,
    ...{ id: typeid('ntf').toString(), version: 1, createdBy: call.actor, createdAt: now, updatedAt: now },
  }))
  if (rows.length === 0) return []
  await call.db
    .insertInto('vendorNotifications')
    .values(
      rows.map((row) => ({
        ...row,
        organizationId: call.organizationId,
        tasks: JSON.stringify(row.tasks),
        createdBy: JSON.stringify(row.createdBy),
      })),
    )
    .execute()
  return rows
}
