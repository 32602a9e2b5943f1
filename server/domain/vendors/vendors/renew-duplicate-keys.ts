import { sql } from 'kysely'
import { updateInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'

/**
 * Rewrites the vendors whose keys for possible duplicates were computed by a previous version. The database computes
 * the keys of every row that is written.
 *
 * @returns the number of vendors
 */
export async function renewDuplicateKeys(database: Database): Promise<number> {
  return updateInBatches(database, { table: 'vendors', where: sql`"hasOldKeys"`, set: sql`"hasOldKeys" = false` })
}
