import { type Kysely, sql } from 'kysely'

// The portal links of vendors: the hash of each token, and what the link opens. Tokens are looked up only by hash,
// across organizations. The token itself is stored (encrypted) only if the link will be shown again. Revoked links are
// kept, so that the page can explain that a link was revoked instead of responding "not found".
//
// Earlier links are not migrated, because all users who could read events and lists could see them.
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

  // The number of changes that a vendor has made to its response within an hour of the first change.
  await sql`
    alter table "invitations" add column "answersSince" timestamptz(3),
      add column "answerCount" integer not null default 0`.execute(db)
}
