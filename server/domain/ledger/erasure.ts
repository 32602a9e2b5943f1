import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

/**
 * Allows this transaction to delete postings, which the table otherwise rejects: for erasing a builder or emptying its
 * sandbox.
 */
export async function allowPostingErasure(trx: Db): Promise<void> {
  await sql`select set_config('plumbline.erases_postings', 'on', true)`.execute(trx)
}
