import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'

/** Rows per statement, so that none takes long. */
const BATCH_SIZE = 1000

/** Deletes ended sessions, and expired links and challenges. */
export async function deleteEndedSessions(database: Database, clock: Clock): Promise<void> {
  const now = clock.now().toISOString()
  for (const table of ['sessions', 'signInLinks', 'passkeyChallenges'] as const) {
    let removed = BATCH_SIZE
    while (removed === BATCH_SIZE) {
      const { rows } = await sql`
        delete from ${sql.table(table)} where "id" in (
          select "id" from ${sql.table(table)} where "expiresAt" <= ${now} order by "expiresAt" limit ${BATCH_SIZE})
        returning 1`.execute(database.statements)
      removed = rows.length
    }
  }
  await deleteUnusedIdentities(database)
}

/**
 * Deletes the identities of addresses that no user has any longer, with their sessions and passkeys, and the links for
 * such addresses.
 */
export async function deleteUnusedIdentities(database: Database): Promise<void> {
  await sql`
    delete from "identities" as i
    where not exists (select from "users" as u where u."signInEmail" = i."email")`.execute(database.statements)
  await sql`
    delete from "signInLinks" as l
    where not exists (select from "users" as u where u."signInEmail" = l."value"::json ->> 'email')`.execute(
    database.statements,
  )
}
