import { sql } from 'kysely'
import { updateInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'

/** Kinds of records that have a home, and that could already have files before files had a home of their own. */
const TABLES_BY_RECORD_TYPE = {
  bid: 'bids',
  purchase_order: 'purchaseOrders',
  task: 'tasks',
  selection: 'selections',
} as const

/**
 * Adds the kind and the home to files from previous versions, which did not store them.
 *
 * @returns the number of files
 */
export async function classifyFiles(database: Database): Promise<number> {
  const homes = Object.entries(TABLES_BY_RECORD_TYPE).map(
    ([type, table]) => sql`when ${type} then (
      select r."homeId" from ${sql.table(table)} as r
      where r."organizationId" = "attachments"."organizationId" and r."id" = "attachments"."recordId")`,
  )
  return updateInBatches(database, {
    table: 'attachments',
    where: sql`not "isClassified"`,
    set: sql`
      "isClassified" = true,
      "kind" = case when "contentType" like 'image/%' then 'photo' else "kind" end,
      "homeId" = coalesce("homeId", case "recordType" ${sql.join(homes, sql` `)} end)`,
  })
}
