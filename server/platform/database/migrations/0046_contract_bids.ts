import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "bidRequests"
      add column "effectiveFrom" date,
      add column "effectiveTo" date`.execute(db)
  await sql`
    update "bidRequests" as r set "lines" = (
      select jsonb_agg(line || '{"partId": null, "costCodeId": null}' order by place)
      from jsonb_array_elements(r."lines") with ordinality as l (line, place))
    where r."lines" <> '[]'`.execute(db)
}
