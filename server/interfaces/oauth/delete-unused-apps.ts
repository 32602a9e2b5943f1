import { sql } from 'kysely'
import { BATCH_ROWS, runInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000

/**
 * The time for which an unused app is kept, in milliseconds. An app is deleted if no user connected it within a day of
 * its registration, or if no user has granted it access for 90 days.
 */
const UNUSED_MS = DAY_MS
const WITHOUT_GRANT_MS = 90 * DAY_MS

/** Deletes expired tokens and unused apps. */
export async function deleteUnusedApps(database: Database, clock: Clock): Promise<void> {
  const now = clock.nowMs()
  const unused = new Date(now - UNUSED_MS).toISOString()
  const tokens = sql`delete from "oauthTokens" where "hash" in (
    select "hash" from "oauthTokens" where "expiresAt" <= ${new Date(now).toISOString()} order by "expiresAt" limit ${BATCH_ROWS})`
  const tries = sql`delete from "oauthClients" where "id" in (
    select "id" from "oauthClients" where "grantedAt" is null and "createdAt" <= ${unused} order by "createdAt" limit ${BATCH_ROWS})`
  for (const statement of [tokens, tries]) await runInBatches(database, statement)
  await deleteAppsWithoutGrant(database, now)
}

// Reads the grants with a separate query, because a distributed database does not join them with tables that are only
// on its coordinator.
async function deleteAppsWithoutGrant(database: Database, now: number): Promise<void> {
  const [at, grantedBefore] = [now, now - WITHOUT_GRANT_MS].map((ms) => new Date(ms).toISOString())
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string }>`
      select "id" from "oauthClients" where "grantedAt" <= ${grantedBefore} and "id" > ${last}
      order by "id" limit ${BATCH_ROWS}`.execute(database.statements)
    const ids = rows.map(({ id }) => id)
    const used = await sql<{ clientId: string }>`
      select distinct "clientId" from "oauthGrants"
      where "clientId" = any(${ids}::text[]) and "revokedAt" is null and "expiresAt" > ${at}`.execute(
      database.statements,
    )
    const isUsed = new Set(used.rows.map(({ clientId }) => clientId))
    const unused = ids.filter((id) => !isUsed.has(id))
    if (unused.length > 0) {
      await sql`
        delete from "oauthClients" where "id" = any(${unused}::text[]) and "grantedAt" <= ${grantedBefore}`.execute(
        database.statements,
      )
    }
    if (ids.length < BATCH_ROWS) return
    last = ids.at(-1) ?? ''
  }
}
