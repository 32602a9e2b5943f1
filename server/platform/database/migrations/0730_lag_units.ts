import { type Kysely, sql } from 'kysely'

/** Adds the unit of lags. All existing lags are in workdays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "tasks" as t set "predecessors" = (
      select jsonb_agg('{"lagUnit": "workdays"}'::jsonb || p."link" order by p."place")
      from jsonb_array_elements(t."predecessors") with ordinality as p ("link", "place")
    ) where t."predecessors" <> '[]'`.execute(db)
  await sql`
    update "taskTemplates" as t set "rows" = (
      select jsonb_agg(r."row" || jsonb_build_object('predecessors', (
        select coalesce(jsonb_agg('{"lagUnit": "workdays"}'::jsonb || p."link" order by p."place"), '[]')
        from jsonb_array_elements(r."row" -> 'predecessors') with ordinality as p ("link", "place")
      )) order by r."place")
      from jsonb_array_elements(t."rows") with ordinality as r ("row", "place")
    ) where t."rows" <> '[]'`.execute(db)
}
