import { sql } from 'kysely'
import { updateInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'

/**
 * Updates the keys for possible duplicates that a previous version computed. The database computes the keys whenever a
 * row is written.
 *
 * @returns the number of updated vendors
 */
export async function renewDuplicateKeys(database: Database): Promise<number> {
  return updateInBatches(database, { table: 'vendors', where: sql`"hasOldKeys"`, set: sql`"hasOldKeys" = false` })
}
