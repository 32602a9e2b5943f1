import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // The last sequence of an organization is the sequence of its newest event, which is found in an index. If events are
  // deleted, the counter stores the sequence of the last deleted event, so that no sequence is used twice.
  await sql`
    create function "keepLastSequence"() returns trigger language plpgsql as $$
    begin
      update "organizations" as o set "lastEventSequence" = gone."last"
      from (select "organizationId", max("sequence") as "last" from removed group by "organizationId") as gone
      where o."id" = gone."organizationId" and o."lastEventSequence" < gone."last";
      return null;
    end $$`.execute(db)
  await sql`
    create trigger "events_removed" after delete on "events"
    referencing old table as removed for each statement execute function "keepLastSequence"()`.execute(db)
}
