import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

/**
 * Allows this transaction to delete postings, which the table otherwise prevents. Required to erase a builder or to
 * empty its sandbox.
 */
export async function allowPostingErasure(trx: Db): Promise<void> {
  await sql`set local plumbline.erases_postings = 'on'`.execute(trx)
}
