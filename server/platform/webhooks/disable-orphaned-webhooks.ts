import { sql } from 'kysely'
import type { Services } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import type { DueSql } from '../due/find-due-jobs.ts'
import { createWebhookOwners, type Owners } from './owners.ts'
import type { DisabledWebhook } from './settlement.ts'

/**
 * The number of subscriptions that one transaction disables. The number is small, because disabling a subscription also
 * sends messages to users.
 */
const BATCH_SIZE = 100

const isOrphan = (owners: Owners, now: Date) =>
  sql`w."status" = 'active' and w."archivedAt" is null and ${owners.isGone(now)}`

/** Returns SQL that selects the active subscriptions whose owner is no longer active. */
export function toOrphanedWebhooksSql({ contract }: Pick<Services, 'contract'>): DueSql {
  const owners = createWebhookOwners(contract)
  return (now) => sql`select w."organizationId" from "webhooks" w ${owners.joins} where ${isOrphan(owners, now)}`
}

/**
 * Disables subscriptions whose owner is no longer active, and notifies the owners and admins of their builders. Sending
 * already stops when the owner becomes inactive. This job makes the disabled state visible within a second or two.
 * `tellDisabled` stores the messages in the transaction, and returns a function that must be called after the commit.
 */
export async function disableOrphanedWebhooks(
  services: Services,
  tellDisabled: (trx: Db, disabled: DisabledWebhook[]) => Promise<() => void>,
): Promise<void> {
  const { database, clock, contract } = services
  const owners = createWebhookOwners(contract)
  for (;;) {
    const now = clock.now()
    const { rows } = await sql<{ organizationId: string; id: string }>`
      select w."organizationId", w."id" from "webhooks" w ${owners.joins} where ${isOrphan(owners, now)}
      order by w."organizationId", w."id" limit ${BATCH_SIZE}`.execute(database.statements)
    for (const [organizationId, own] of Map.groupBy(rows, (row) => row.organizationId)) {
      let afterCommit = () => {}
      await database.transaction(async (trx) => {
        const orphans = await sql<{ id: string }>`
          select w."id" from "webhooks" w ${owners.joins}
          where w."organizationId" = ${organizationId} and w."id" = any(${own.map(({ id }) => id)}::text[])
            and ${isOrphan(owners, now)}
          order by w."id" for no key update of w`.execute(trx)
        const disabled = await sql<DisabledWebhook>`
          update "webhooks" set "status" = 'disabled', "disabledReason" = 'owner_revoked',
            "disabledAt" = ${now.toISOString()}, "pausedUntil" = null, "version" = "version" + 1,
            "updatedAt" = ${now.toISOString()}
          where "organizationId" = ${organizationId} and "id" = any(${orphans.rows.map(({ id }) => id)}::text[])
          returning "organizationId", "id" as "webhookId", "disabledReason" as "reason"`.execute(trx)
        if (disabled.rows.length > 0) afterCommit = await tellDisabled(trx, disabled.rows)
      })
      afterCommit()
    }
    if (rows.length < BATCH_SIZE) return
  }
}
