import { type Kysely, sql } from 'kysely'

/** Adds Spanish names to trades and tasks. The rows of existing templates have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "scopes" add column "spanishName" text`.execute(db)
  await sql`alter table "tasks" add column "spanishName" text`.execute(db)
  await sql`
    update "taskTemplates" as t set "rows" = (
      select jsonb_agg('{"spanishName": null}'::jsonb || r."row" order by r."place")
      from jsonb_array_elements(t."rows") with ordinality as r ("row", "place")
    ) where t."rows" <> '[]'`.execute(db)
}
