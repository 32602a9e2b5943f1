import { type Kysely, sql } from 'kysely'

// The portal links of vendors, with the hash and the target of each token. Tokens are looked up by hash alone, across
// organizations. The token itself is stored, encrypted, only if the link is shown again. Revoked links are kept, so
// that their users get a better explanation than "not found".
//
// Earlier links are not migrated, because any user who could read events and lists could see these links.
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

  // The number of times that a vendor has changed its response within an hour of the first change.
  await sql`
    alter table "invitations" add column "answersSince" timestamptz(3),
      add column "answerCount" integer not null default 0`.execute(db)
}
