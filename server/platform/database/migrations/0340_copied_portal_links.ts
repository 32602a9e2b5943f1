import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/**
 * A portal link that a user copied has its own token, in addition to the token of the link that is mailed to the
 * vendor. Actions through a copied link are recorded with the name of the user who copied it, so the row stores that
 * user or key. A subject still has at most one mailed link. The index of migration 0016 allowed only one link of either
 * kind.
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
  // The user who copied the link through which an audited action was performed. Audit entries contain only IDs.
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
