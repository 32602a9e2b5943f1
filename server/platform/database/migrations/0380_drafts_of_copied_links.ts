import { type Kysely, sql } from 'kysely'

/**
 * Drafts that were saved through a copied portal link. These drafts are separate from the vendor's own drafts, because
 * the vendor and the user who copied the link must not see or submit each other's drafts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "copiedLinkBidDrafts" (
      "organizationId" text collate "C" not null,
      "invitationId" text collate "C" not null,
      "content" jsonb,
      "version" integer not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "invitationId"),
      constraint "copiedLinkBidDrafts_invitationId_fkey" foreign key ("organizationId", "invitationId")
        references "invitations" ("organizationId", "id")
    )`.execute(db)
}
