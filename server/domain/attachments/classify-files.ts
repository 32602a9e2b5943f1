import { sql } from 'kysely'
import { updateInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'

/** The kinds of records that belong to a home and could have files before files had a homeId. */
const TABLES_BY_RECORD_TYPE = {
  bid: 'bids',
  purchase_order: 'purchaseOrders',
  task: 'tasks',
  selection: 'selections',
} as const

/**
 * Adds the kind and the homeId to files from previous versions, which did not have these fields.
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
