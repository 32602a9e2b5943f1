import { sql } from 'kysely'
import type { Surroundings } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { ownersOf } from './owners.ts'
import type { Disabled } from './settlement.ts'

/** Subscriptions disabled per transaction. Each also sends messages to people. */
const BATCH = 100

/**
 * Disables subscriptions without an active owner, and notifies the owners and admins of their builders. Sending stops
 * the moment the owner becomes inactive; this only makes it visible, within a second or two. `tellDisabled` sends the
 * messages in the transaction and returns what to do after its commit.
 */
export async function disableOrphans(
  surroundings: Surroundings,
  tellDisabled: (trx: Db, disabled: Disabled[]) => Promise<() => void>,
): Promise<void> {
  const { database, clock, contract } = surroundings
  const owners = ownersOf(contract)
  const orphans = (now: Date) => sql`
    select w."organizationId", w."id" from "webhooks" w ${owners.joins}
    where w."status" = 'active' and w."archivedAt" is null and ${owners.isGone(now)}
    order by w."organizationId", w."id" limit ${BATCH}`
  for (;;) {
    const now = clock.now()
    const { rows } = await orphans(now).execute(database.statements)
    if (rows.length === 0) return
    let afterCommit = () => {}
    await database.transaction(async (trx) => {
      const disabled = await sql<Disabled>`
        with orphans as materialized (${orphans(now)} for no key update of w)
        update "webhooks" w set "status" = 'disabled', "disabledReason" = 'owner_revoked', "disabledAt" = ${now.toISOString()},
          "pausedUntil" = null, "version" = w."version" + 1, "updatedAt" = ${now.toISOString()}
        from orphans o where w."organizationId" = o."organizationId" and w."id" = o."id" and w."status" = 'active'
        returning w."organizationId", w."id" as "webhookId", w."disabledReason" as "reason"`.execute(trx)
      if (disabled.rows.length > 0) afterCommit = await tellDisabled(trx, disabled.rows)
    })
    afterCommit()
    if (rows.length < BATCH) return
  }
}
