import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "homes" add column "basePrice" numeric(14,2)`.execute(db)
  // Existing homes receive the price of their plan and elevation.
  await sql`
    update "homes" as h set "basePrice" = r."basePrice" + coalesce((
      select (e->>'price')::numeric from jsonb_array_elements(r."elevations") as e where e->>'code' = h."elevation"), 0)
    from "planRevisions" as r
    where r."organizationId" = h."organizationId" and r."planId" = h."planId" and r."revision" = h."planRevision"`.execute(
    db,
  )
}
