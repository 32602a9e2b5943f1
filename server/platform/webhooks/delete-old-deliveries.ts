import { sql } from 'kysely'
import { BATCH_ROWS, deleteInBatches } from '../database/batches.ts'
import type { Database } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'
import { HELD_MS, KEPT_DAYS } from './webhook.ts'

/** Deletes attempts, finished deliveries, and held events at the end of their retention periods. */
export async function deleteOldDeliveries(database: Database, clock: Clock, keptDays = KEPT_DAYS): Promise<void> {
  const keptSince = new Date(clock.nowMs() - keptDays * DAY_MS).toISOString()
  const heldSince = new Date(clock.nowMs() - HELD_MS).toISOString()
  await deleteInBatches(database, {
    table: 'deliveryAttempts',
    key: 'deliveryId',
    where: sql`"attemptedAt" < ${keptSince}`,
  })
  // Find the rows by subscription, because the index on deliveries starts with the subscription.
  await deleteInBatches(database, {
    table: 'deliveries',
    where: sql`"updatedAt" < ${keptSince}`,
    found: sql`
      select d."organizationId", d."id" as "key" from "webhooks" w cross join lateral (
        select d."organizationId", d."id" from "deliveries" d
        where d."organizationId" = w."organizationId" and d."webhookId" = w."id" and d."updatedAt" < ${keptSince}
          and (d."status" <> 'pending' or w."archivedAt" is not null)
        limit ${BATCH_ROWS}) d`,
  })
  await deleteInBatches(database, {
    table: 'deliveries',
    where: sql`"status" = 'pending' and "createdAt" < ${heldSince} and "claimedUntil" is null`,
    found: sql`
      select d."organizationId", d."id" as "key" from "webhooks" w cross join lateral (
        select d."organizationId", d."id" from "deliveries" d
        where d."organizationId" = w."organizationId" and d."webhookId" = w."id" and d."status" = 'pending'
          and d."createdAt" < ${heldSince} and d."claimedUntil" is null
        limit ${BATCH_ROWS}) d
      where w."status" = 'disabled' and w."archivedAt" is null`,
  })
}

const DAY_MS = 86_400_000
