import { type Kysely, sql } from 'kysely'

/**
 * Two vendor records for the same company can be merged. The merged record stays archived and refers to the kept
 * record.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "vendors" add column "mergedIntoId" text collate "C",
      add constraint "vendors_mergedIntoId_fkey" foreign key ("organizationId", "mergedIntoId")
        references "vendors" ("organizationId", "id")`.execute(db)
  await sql`
    create index "vendors_mergedIntoId" on "vendors" ("organizationId", "mergedIntoId", "id")
    where "mergedIntoId" is not null`.execute(db)
}
