import { type Kysely, sql } from 'kysely'

// Where a vendor is let in: the hash of each token, and what it opens. The hash alone finds it, whoever's it is. The
// token itself is kept sealed only where it is shown again. What was revoked stays, so that whoever comes by it is told
// more than that there is nothing.
//
// The addresses that were sent before are not taken over: they stood in events and lists, for everybody who could read.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "portalAddresses" (
      "hash" bytea primary key,
      "organizationId" text collate "C" not null,
      "subjectId" text collate "C" not null,
      "vendorId" text collate "C" not null,
      "sealedToken" text,
      "createdAt" timestamptz(3) not null,
      "revokedAt" timestamptz(3),
      constraint "portalAddresses_vendorId_fkey" foreign key ("organizationId", "vendorId") references "vendors" ("organizationId", "id")
    )`.execute(db)
  await sql`
    create unique index "portalAddresses_subjectId" on "portalAddresses" ("organizationId", "subjectId")
    where "revokedAt" is null`.execute(db)
  await sql`create index "portalAddresses_vendorId" on "portalAddresses" ("organizationId", "vendorId")`.execute(db)

  // How often a vendor has changed its answer within the hour that began with the first change.
  await sql`
    alter table "invitations" add column "answersSince" timestamptz(3),
      add column "answerCount" integer not null default 0`.execute(db)
}
