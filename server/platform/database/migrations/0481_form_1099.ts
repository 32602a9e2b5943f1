import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Earlier versions reported all payments as nonemployee compensation.
  await sql`
    alter table "vendors"
      add column "reportingBox" text collate "C" not null default 'nec_1',
      add column "backupWithholding" json`.execute(db)
  await sql`alter table "payments" add column "backupWithheld" numeric not null default 0`.execute(db)
  await sql`alter table "organizations" add column "withholdsBackupTax" boolean not null default false`.execute(db)
  await sql`
    create table "form1099Filings" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "year" integer not null,
      "form" text collate "C" not null,
      "filedOn" date not null,
      "boxes" json not null,
      "backupWithheld" numeric not null,
      "companyName" text not null,
      "taxIdLast4" text,
      "currency" text not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "form1099Filings_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "form1099Filings_vendorId" on "form1099Filings" ("organizationId", "vendorId", "year", "form", "id")`.execute(
    db,
  )
  await sql`create index "form1099Filings_year" on "form1099Filings" ("organizationId", "year", "id")`.execute(db)
}
