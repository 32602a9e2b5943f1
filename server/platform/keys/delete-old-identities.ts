import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'

/** The number of rows per statement, which limits the duration of each statement. */
const BATCH_SIZE = 1000

/** Deletes sessions that have ended, and sign-in links and challenges that have expired. */
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
 * Deletes identities whose email address no longer belongs to a user, with their sessions, passkeys, and sign-in links.
 * Reads users in a separate statement, because a distributed database cannot join them with tables on its coordinator.
 */
export async function deleteUnusedIdentities(database: Database): Promise<void> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ email: string }>`
      select "email" from (
        select "email" from "identities" union select "value"::json ->> 'email' from "signInLinks"
      ) as known ("email")
      where "email" > ${last} order by "email" limit ${BATCH_SIZE}`.execute(database.statements)
    const emails = rows.map(({ email }) => email)
    const used = await sql<{ email: string }>`
      select distinct "signInEmail" as "email" from "users" where "signInEmail" = any(${emails}::text[])`.execute(
      database.statements,
    )
    const isUsed = new Set(used.rows.map(({ email }) => email))
    const unused = emails.filter((email) => !isUsed.has(email))
    if (unused.length > 0) {
      await sql`delete from "identities" where "email" = any(${unused}::text[])`.execute(database.statements)
      await sql`delete from "signInLinks" where "value"::json ->> 'email' = any(${unused}::text[])`.execute(
        database.statements,
      )
    }
    if (emails.length < BATCH_SIZE) return
    last = emails.at(-1) ?? ''
  }
}
