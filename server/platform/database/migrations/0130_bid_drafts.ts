import { type Kysely, sql } from 'kysely'

/** Adds drafts of bids in the portal, and notes of vendors to the builder. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // After a draft is submitted or discarded, its row is kept, so that versions are never reused.
  await sql`
    create table "bidDrafts" (
      "organizationId" text collate "C" not null,
      "invitationId" text collate "C" not null,
      "content" jsonb,
      "version" integer not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "invitationId"),
      constraint "bidDrafts_invitationId_fkey" foreign key ("organizationId", "invitationId")
        references "invitations" ("organizationId", "id")
    )`.execute(db)
  await sql`alter table "bids" add column "note" text`.execute(db)
}
