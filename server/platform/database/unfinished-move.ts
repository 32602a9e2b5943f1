import { sql } from 'kysely'
import { DatabaseUnavailableError } from './connection-errors.ts'
import type { Db } from './database.ts'

/**
 * The table that marks a database as the target of an unfinished move. The table exists from the first statement of the
 * move to the last.
 */
export const MOVE_MARKER_TABLE = 'unfinishedMove'

/**
 * Throws if the database is only partly filled by a move, because the service would otherwise treat the data as
 * complete.
 *
 * @throws {DatabaseUnavailableError}
 */
export async function assertNoUnfinishedMove(db: Db): Promise<void> {
  if (!(await hasUnfinishedMove(db))) return
  throw new DatabaseUnavailableError(
    'A move into this database is unfinished. Run "move" again with the same DATA_DIR, or drop the database and create it again.',
  )
}

export async function hasUnfinishedMove(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass(quote_ident(current_schema()) || '.' || quote_ident(${MOVE_MARKER_TABLE})) is not null as "there"`.execute(
    db,
  )
  return rows[0]?.there === true
}
