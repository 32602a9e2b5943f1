import { sql } from 'kysely'
import type { Services } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { createOwners } from './owners.ts'
import type { DisabledWebhook } from './settlement.ts'

/** Subscriptions disabled per transaction. Each also sends messages to people. */
const BATCH_SIZE = 100

/**
 * Disables subscriptions without an active owner, and notifies the owners and admins of their builders. Sending stops
 * the moment the owner becomes inactive; this only makes it visible, within a second or two. `tellDisabled` sends the
 * messages in the transaction and returns what to do after its commit.
 */
export async function disableOrphans(
  services: Services,
  tellDisabled: (trx: Db, disabled: DisabledWebhook[]) => Promise<() => void>,
): Promise<void> {
  const { database, clock, contract } = services
  const owners = createOwners(contract)
  const orphans = (now: Date) => sql`
    select w."organizationId", w."id" from "webhooks" w ${owners.joins}
    where w."status" = 'active' and w."archivedAt" is null and ${owners.isGone(now)}
    order by w."organizationId", w."id" limit ${BATCH_SIZE}`
  for (;;) {
    const now = clock.now()
    const { rows } = await orphans(now).execute(database.statements)
    if (rows.length === 0) return
    let afterCommit = () => {}
    await database.transaction(async (trx) => {
      const disabled = await sql<DisabledWebhook>`
        with orphans as materialized (${orphans(now)} for no key update of w)
        update "webhooks" w set "status" = 'disabled', "disabledReason" = 'owner_revoked', "disabledAt" = ${now.toISOString()},
          "pausedUntil" = null, "version" = w."version" + 1, "updatedAt" = ${now.toISOString()}
        from orphans o where w."organizationId" = o."organizationId" and w."id" = o."id" and w."status" = 'active'
        returning w."organizationId", w."id" as "webhookId", w."disabledReason" as "reason"`.execute(trx)
      if (disabled.rows.length > 0) afterCommit = await tellDisabled(trx, disabled.rows)
    })
    afterCommit()
    if (rows.length < BATCH_SIZE) return
  }
}
