import { sql } from 'kysely'
import { BATCH_ROWS, runInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'

const DAY_MS = 86_400_000

/**
 * An app that was not connected within a day of its registration is deleted, and so is one without a grant for 90 days.
 */
const UNUSED_MS = DAY_MS
const WITHOUT_GRANT_MS = 90 * DAY_MS

/** Deletes expired tokens and unused apps. */
export async function deleteUnusedApps(database: Database, clock: Clock): Promise<void> {
  const now = clock.nowMs()
  const [unused, forgotten] = [now - UNUSED_MS, now - WITHOUT_GRANT_MS].map((ms) => new Date(ms).toISOString())
  const tokens = sql`delete from "oauthTokens" where "hash" in (
    select "hash" from "oauthTokens" where "expiresAt" <= ${new Date(now).toISOString()} order by "expiresAt" limit ${BATCH_ROWS})`
  const tries = sql`delete from "oauthClients" where "id" in (
    select "id" from "oauthClients" where "grantedAt" is null and "createdAt" <= ${unused} order by "createdAt" limit ${BATCH_ROWS})`
  const strangers = sql`delete from "oauthClients" where "id" in (
    select c."id" from "oauthClients" as c where c."grantedAt" <= ${forgotten} and not exists (
      select from "oauthGrants" as g where g."clientId" = c."id" and g."revokedAt" is null and g."expiresAt" > ${new Date(now).toISOString()})
    order by c."grantedAt" limit ${BATCH_ROWS})`
  for (const statement of [tokens, tries, strangers]) await runInBatches(database, statement)
}
