import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** These indexes find the orders of a punch item or a warranty request. */
export const ahead: readonly LargeIndex[] = ['punchItemId', 'warrantyRequestId'].map((column) => ({
  name: `purchaseOrders_${column}`,
  on: `"purchaseOrders" ("organizationId", "${column}") where "${column}" is not null`,
}))

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
