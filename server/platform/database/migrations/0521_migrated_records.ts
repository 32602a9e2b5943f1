import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/**
 * Orders and payments that were imported from another system keep their numbers. If such a record is voided, its number
 * can be used again, so that an import can be undone and repeated.
 */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'purchaseOrders_standing_number_key',
    on: `"purchaseOrders" ("organizationId", "homeId", "number") where "status" <> 'void'`,
    isUnique: true,
  },
  {
    name: 'payments_standing_number_key',
    on: `"payments" ("organizationId", "number") where "status" <> 'voided'`,
    isUnique: true,
  },
  // For lists that are sorted by number. Previously, the dropped constraint provided this index.
  { name: 'payments_number', on: '"payments" ("organizationId", "number", "id")' },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "purchaseOrders" add column "migrated" boolean not null default false`.execute(db)
  await sql`alter table "payments" add column "migrated" boolean not null default false`.execute(db)
  await createIndexes(db, ahead)
  await sql`alter table "purchaseOrders" drop constraint "purchaseOrders_number_key"`.execute(db)
  await sql`alter table "payments" drop constraint "payments_number_key"`.execute(db)
}
