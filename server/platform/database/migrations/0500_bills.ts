import { type Kysely, sql } from 'kysely'

/**
 * Creates the tables for bills from vendors. Orders store the totals of their bills, and change orders store the ID of
 * the order with which they share limits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createBills(db)
  await sql`alter table "organizations" add column "billSecondPerson" boolean not null default false`.execute(db)
  await extendOrders(db)
  await extendPayments(db)
  // The permissions for payments now also apply to bills.
  for (const right of ['read', 'write']) {
    for (const [table, column] of [
      ...(['apiKeys', 'oauthGrants', 'oauthTokens'] as const).map((table) => [table, 'permissions'] as const),
      ['webhooks', 'tokenPermissions'] as const,
    ]) {
      const held = sql.ref(column)
      await sql`
        update ${sql.table(table)} set ${held} = array_append(${held}, ${`bills:${right}`})
        where ${`payments:${right}`} = any(${held}) and not ${`bills:${right}`} = any(${held})`.execute(db)
    }
  }
}

async function createBills(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "billNumbers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "last" integer not null
    )`.execute(db)
  await sql`
    create table "bills" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "number" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "billType" text not null,
      "source" text not null,
      "status" text not null,
      "invoiceNumber" text,
      "invoiceKey" text collate "C",
      "invoiceDate" date not null,
      "receivedDate" date not null,
      "postingDate" date not null,
      "terms" jsonb not null,
      "dueDate" date not null,
      "discountAmount" numeric not null,
      "discountDueDate" date,
      "grossAmount" numeric not null,
      "retainageWithheld" numeric not null,
      "amount" numeric not null,
      "paidAmount" numeric not null,
      "discountTaken" numeric not null,
      "reservedAmount" numeric not null,
      "openAmount" numeric not null generated always as (
        case when "status" in ('rejected', 'void') then 0 else "amount" - "paidAmount" end) stored,
      "currency" text not null,
      "holdReason" text,
      "match" text not null,
      "approval" jsonb not null,
      "accountingId" text,
      "externalId" text,
      "voidedAt" timestamptz(3),
      "voidReason" text,
      "bytes" integer not null default 0,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "bills_number_key" unique ("organizationId", "number"),
      constraint "bills_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id")
    )`.execute(db)
  const indexes: Readonly<Record<string, string>> = {
    createdAt: '"createdAt", "id"',
    updatedAt: '"updatedAt", "id"',
    dueDate: '"dueDate", "id"',
    vendorId: '"vendorId", "id"',
    status: '"status", "dueDate", "id"',
    billType: '"billType", "id"',
    source: '"source", "id"',
  }
  for (const [name, columns] of Object.entries(indexes))
    await sql`create index ${sql.ref(`bills_${name}`)} on "bills" ("organizationId", ${sql.raw(columns)})`.execute(db)
  await sql`create index "bills_invoiceKey" on "bills" ("organizationId", "vendorId", "invoiceKey") where "invoiceKey" is not null`.execute(
    db,
  )
  await sql`create unique index "bills_accountingId_key" on "bills" ("organizationId", "accountingId") where "accountingId" is not null`.execute(
    db,
  )
  await sql`create unique index "bills_externalId_key" on "bills" ("organizationId", "externalId") where "externalId" is not null`.execute(
    db,
  )
  // This index contains only bills that are not settled, which are few.
  await sql`
    create index "bills_open" on "bills" ("organizationId", "vendorId", "id")
      where "status" in ('approved', 'partially_paid')`.execute(db)
  await sql`
    create table "billLines" (
      "organizationId" text collate "C" not null,
      "billId" text collate "C" not null,
      "position" integer not null,
      "lineId" text not null,
      "poId" text collate "C",
      "poLineId" text,
      "homeId" text collate "C" not null,
      "costCodeId" text collate "C",
      "description" text not null,
      "amount" numeric not null,
      "taxAmount" numeric not null,
      "retainageWithheld" numeric not null,
      "reportingBox" text,
      primary key ("organizationId", "billId", "position"),
      constraint "billLines_billId_fkey" foreign key ("organizationId", "billId") references "bills" ("organizationId", "id"),
      constraint "billLines_poId_fkey" foreign key ("organizationId", "poId") references "purchaseOrders" ("organizationId", "id"),
      constraint "billLines_homeId_fkey" foreign key ("organizationId", "homeId") references "homes" ("organizationId", "id"),
      constraint "billLines_costCodeId_fkey" foreign key ("organizationId", "costCodeId") references "costCodes" ("organizationId", "id")
    )`.execute(db)
  for (const column of ['poId', 'homeId', 'costCodeId'])
    await sql`
      create index ${sql.ref(`billLines_${column}`)} on "billLines" ("organizationId", ${sql.ref(column)}, "billId")
        where ${sql.ref(column)} is not null`.execute(db)
  // The totals of a bill for each of its orders. `appliedAmount` is the amount of deposits that was applied to the
  // bill.
  await sql`
    create table "billOrders" (
      "organizationId" text collate "C" not null,
      "billId" text collate "C" not null,
      "poId" text collate "C" not null,
      "grossAmount" numeric not null,
      "retainageWithheld" numeric not null,
      "appliedAmount" numeric not null default 0,
      primary key ("organizationId", "billId", "poId"),
      constraint "billOrders_billId_fkey" foreign key ("organizationId", "billId") references "bills" ("organizationId", "id"),
      constraint "billOrders_poId_fkey" foreign key ("organizationId", "poId") references "purchaseOrders" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "billOrders_poId" on "billOrders" ("organizationId", "poId", "billId")`.execute(db)
  const changed = ['number', 'invoiceNumber', 'vendorId'].map(
    (column) => sql`old.${sql.ref(column)}::text is distinct from new.${sql.ref(column)}::text`,
  )
  await sql`
    create trigger "searchable_new" after insert on "bills"
    for each row execute function "noteSearchable"()`.execute(db)
  await sql`
    create trigger "searchable_changed" after update on "bills"
    for each row when (${sql.join(changed, sql` or `)}) execute function "noteSearchable"()`.execute(db)
}

async function extendOrders(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "purchaseOrders"
      add column "rootPoId" text collate "C",
      add column "retainageSteps" jsonb not null default '[]',
      add column "retainageMaxPercent" numeric(5,2),
      add column "storedRetainagePercent" numeric(5,2),
      add column "billingMethod" text not null default 'on_completion',
      add column "storedAmount" numeric not null default 0,
      add column "billedAmount" numeric not null default 0,
      add column "unbilledAmount" numeric not null default 0,
      add column "releasingAmount" numeric not null default 0,
      add column "requiredRetainage" numeric not null default 0,
      add column "paidElsewhere" numeric,
      add constraint "purchaseOrders_rootPoId_fkey" foreign key ("organizationId", "rootPoId") references "purchaseOrders" ("organizationId", "id")`.execute(
    db,
  )
  await sql`
    create or replace function "purchaseOrders_amounts"() returns trigger language plpgsql as $$
    declare
      "isOpen" boolean := new."status" not in ('closed', 'void');
    begin
      new."unbilledAmount" := case when "isOpen" then new."completedAmount" + new."storedAmount" - new."billedAmount" else 0 end;
      new."payableAmount" := case when "isOpen" then new."billedAmount" - new."retainedAmount" - new."paidAmount" else 0 end;
      new."balance" := case when "isOpen" then new."total" - new."paidAmount" else 0 end;
      new."totalInCents" := (new."total" * 100)::bigint;
      return new;
    end $$`.execute(db)
  await sql`
    create index "purchaseOrders_rootPoId" on "purchaseOrders" ("organizationId", "rootPoId") where "rootPoId" is not null`.execute(
    db,
  )
  await sql`
    alter table "purchaseOrderLines"
      add column "storedAmount" numeric not null default 0,
      add column "retainagePercent" numeric(5,2)`.execute(db)
}

async function extendPayments(db: Kysely<unknown>): Promise<void> {
  await sql`drop index "payments_invoiceKey"`.execute(db)
  await sql`alter table "payments" drop column "invoiceKey", add column "invoiceKey" text collate "C"`.execute(db)
  await sql`create index "payments_invoiceKey" on "payments" ("organizationId", "vendorId", "invoiceKey") where "invoiceKey" is not null`.execute(
    db,
  )
  await sql`
    alter table "paymentAllocations"
      alter column "poId" drop not null,
      add column "billId" text collate "C",
      add column "discountAmount" numeric not null default 0,
      add column "discountTaken" numeric not null default 0,
      add column "discountDueDate" date,
      add column "dueDate" date,
      add constraint "paymentAllocations_billId_fkey" foreign key ("organizationId", "billId") references "bills" ("organizationId", "id")`.execute(
    db,
  )
  await sql`create index "paymentAllocations_billId" on "paymentAllocations" ("organizationId", "billId", "paymentId") where "billId" is not null`.execute(
    db,
  )
}
