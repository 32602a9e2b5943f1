import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "purchaseOrderLines"
      add column "costCodeId" text collate "C",
      add constraint "purchaseOrderLines_costCodeId_fkey"
        foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")`.execute(db)
  // Existing lines receive the cost codes of their budget lines.
  await sql`
    update "purchaseOrderLines" l set "costCodeId" = b."costCodeId" from "budgetLines" b
    where b."organizationId" = l."organizationId" and b."id" = l."budgetLineId" and b."costCodeId" is not null`.execute(
    db,
  )
  await sql`
    create index "purchaseOrderLines_costCodeId" on "purchaseOrderLines" ("organizationId", "costCodeId")
    where "costCodeId" is not null`.execute(db)
}
