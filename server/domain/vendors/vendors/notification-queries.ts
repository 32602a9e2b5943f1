import { typeid } from 'typeid-js'
import type { VendorNotification } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { resource, type Values } from '../../../platform/resources/resource.ts'

export const { list, findAll } = resource({
  schema: 'VendorNotification',
  long: ['message', 'recipients', 'tasks'],
})

/** Stores several notifications in one statement. */
export async function insertAll(
  call: WriteCall,
  given: readonly Required<Values<VendorNotification>>[],
): Promise<VendorNotification[]> {
  const now = call.now.toISOString()
  const rows = given.map((values) => ({
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
