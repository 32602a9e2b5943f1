import { type Kysely, sql } from 'kysely'

/**
 * The cost ledger by date. Postings never change. A correction is another entry. A trigger enforces this for all
 * database users. Only the erasure of a builder and the emptying of a sandbox can delete postings, and must declare
 * this in their transactions.
 *
 * Postings contain the IDs of records without foreign keys, because the database would otherwise look up each record
 * for millions of rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "ledgers" (
      "organizationId" text collate "C" primary key references "organizations" ("id"),
      "closedThrough" date,
      "startDate" date
    )`.execute(db)
  await sql`
    create table "postings" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "sequence" bigint not null generated always as identity,
      "entryId" text collate "C" not null,
      "measure" text not null check ("measure" in ('commitment', 'cost', 'unbilled', 'payable', 'retainage', 'paid',
        'discount', 'withheldTax', 'payroll', 'other', 'budget', 'contract', 'ownerBilled', 'ownerRetainage',
        'ownerReceived', 'loan')),
      "amount" numeric(18,3) not null check ("amount" <> 0),
      "effectiveDate" date not null,
      "recordedAt" timestamptz(3) not null,
      "homeId" text collate "C",
      "scope" text,
      "costCodeId" text collate "C",
      "vendorId" text collate "C",
      "poId" text collate "C",
      "poLineId" text collate "C",
      "billId" text collate "C",
      "paymentId" text collate "C",
      "saleId" text collate "C",
      "reversesEntryId" text collate "C",
      "basis" text not null check ("basis" in ('recorded', 'migrated')),
      "note" text,
      "actor" jsonb not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  await sql`create unique index "postings_sequence" on "postings" ("organizationId", "sequence")`.execute(db)
  await sql`
    create index "postings_effectiveDate" on "postings" ("organizationId", "effectiveDate", "sequence")`.execute(db)
  await sql`create index "postings_entryId" on "postings" ("organizationId", "entryId", "sequence")`.execute(db)
  for (const column of ['homeId', 'vendorId', 'costCodeId', 'poId', 'billId', 'paymentId', 'saleId']) {
    await sql`
      create index ${sql.id(`postings_${column}`)} on "postings" ("organizationId", ${sql.ref(column)}, "sequence")
      where ${sql.ref(column)} is not null`.execute(db)
  }
  // The trigger fires for each row, so that a statement that finds no postings, such as a deletion in all tables, is
  // not rejected.
  await sql`
    create function "keepPostings"() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('plumbline.erases_postings', true) = 'on' then return old; end if;
      raise exception 'Postings cannot be changed or deleted. Record a reversing entry instead.'
        using errcode = 'insufficient_privilege';
    end $$`.execute(db)
  await sql`
    create trigger "postings_append" before update or delete on "postings"
    for each row execute function "keepPostings"()`.execute(db)
  await sql`
    create trigger "postings_truncate" before truncate on "postings"
    for each statement execute function "keepPostings"()`.execute(db)
}
