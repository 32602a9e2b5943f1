import { type Kysely, sql } from 'kysely'

/** Adds the progress of each order line, and the columns derived from it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The amount of a single line including tax can exceed the maximum total of an order.
  await sql`
    alter table "purchaseOrderLines"
      add column "completedPercent" numeric(5,2) not null default 0,
      add column "completedQuantity" numeric(14,4) not null default 0,
      add column "completedAmount" numeric(16,2) not null default 0`.execute(db)
  await sql`
    alter table "purchaseOrders"
      add column "completedAmount" numeric(14,2) not null default 0,
      add column "paidAmount" numeric(14,2) not null default 0`.execute(db)
  // Before this migration, an order was completed as a whole, and was paid when it was closed.
  await sql`
    update "purchaseOrderLines" as l set "completedPercent" = 100, "completedQuantity" = l."quantity",
      "completedAmount" = l."total" + l."taxAmount"
    from "purchaseOrders" as o
    where o."organizationId" = l."organizationId" and o."id" = l."purchaseOrderId" and o."status" in ('completed', 'closed')`.execute(
    db,
  )
  await sql`
    update "purchaseOrders" set
      "completedAmount" = case when "status" in ('completed', 'closed') then "total" else 0 end,
      "paidAmount" = case when "status" = 'closed' then "total" else 0 end,
      "retainedAmount" = case when "status" = 'completed' then "retainedAmount" else 0 end,
      -- The three figures of a line, with their names.
      "linesBytes" = "linesBytes" + 120 * (
        select count(*) from "purchaseOrderLines" as l
        where l."organizationId" = "purchaseOrders"."organizationId" and l."purchaseOrderId" = "purchaseOrders"."id")`.execute(
    db,
  )
  await sql`
    alter table "purchaseOrderLines"
      alter column "completedPercent" drop default,
      alter column "completedQuantity" drop default,
      alter column "completedAmount" drop default`.execute(db)
  await sql`
    alter table "purchaseOrders"
      alter column "completedAmount" drop default,
      alter column "paidAmount" drop default,
      add column "payableAmount" numeric(14,2) not null generated always as ("completedAmount" - "retainedAmount" - "paidAmount") stored,
      add column "balance" numeric(14,2) not null generated always as (case when "status" = 'void' then 0 else "total" - "paidAmount" end) stored`.execute(
    db,
  )
}
