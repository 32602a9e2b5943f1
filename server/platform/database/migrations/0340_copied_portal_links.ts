import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/**
 * A portal link that a user copies has its own token, in addition to the token of the link that is emailed to the
 * vendor. An action through a copied link is recorded with the user who copied it, so the row contains the ID of that
 * user or key. As before, a subject has at most one emailed link. The index of migration 0016 allowed only one link in
 * total.
 */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'portalAddresses_mailed',
    on: `"portalAddresses" ("organizationId", "subjectId") where "revokedAt" is null and "copiedBy" is null`,
    isUnique: true,
  },
  { name: 'portalAddresses_live', on: `"portalAddresses" ("organizationId", "subjectId") where "revokedAt" is null` },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "portalAddresses" add column "copiedBy" jsonb`.execute(db)
  await createIndexes(db, ahead)
  await sql`drop index "portalAddresses_subjectId"`.execute(db)
  // The ID of the user who copied the link through which the actor acted. Audit entries contain only IDs.
  await sql`alter table "auditEntries" add column "actorCopierId" text collate "C"`.execute(db)
  await sql`
    create or replace function "auditRemovedEvents"() returns trigger language plpgsql as $$
    begin
      insert into "auditEntries" ("organizationId", "id", "at", "actorType", "actorId", "actorCopierId", "action", "resourceId",
        "changed", "address", "requestId")
      select "organizationId", 'aud_' || substr("id", 5), "occurredAt", "payload"::json #>> '{actor,type}', "actorId",
        "payload"::json #>> '{actor,copiedBy,id}', "type", "resourceId", "changedFields"("payload"), "address", "requestId"
      from removed on conflict do nothing;
      return null;
    end $$`.execute(db)
}
