import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/**
 * Idempotency keys of users are kept longer than those of API keys. A row without an expiration time was stored by a
 * process of the previous version, and expires 24 hours after its creation.
 */
export const ahead: readonly LargeIndex[] = [
  { name: 'idempotencyRecords_expiresAt', on: '"idempotencyRecords" ("expiresAt")' },
  {
    name: 'idempotencyRecords_createdAt_without_expiry',
    on: '"idempotencyRecords" ("createdAt") where "expiresAt" is null',
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "idempotencyRecords" add column "expiresAt" timestamptz(3)`.execute(db)
  await createIndexes(db, ahead)
}
