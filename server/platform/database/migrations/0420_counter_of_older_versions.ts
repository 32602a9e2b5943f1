import { type Kysely, sql } from 'kysely'

/**
 * Since migration 0330 the last sequence of an organization's events is read from the events. Earlier versions
 * increment a counter instead, which is no longer updated. After a rollback to such a version its sequences would
 * already be used, so the counter catches up when one of them increments it. Remove this when no rollback to them is
 * supported any longer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "catchUpLastSequence"() returns trigger language plpgsql as $$
    begin
      new."lastEventSequence" := new."lastEventSequence" - old."lastEventSequence" + greatest(old."lastEventSequence", (
        select max(e."sequence") from "events" as e where e."organizationId" = new."id" and e."sequence" is not null));
      return new;
    end $$`.execute(db)
  // "keepLastSequence" sets the counter from within a trigger, to a value that is already correct.
  await sql`
    create trigger "organizations_lastEventSequence" before update of "lastEventSequence" on "organizations"
    for each row when (pg_trigger_depth() = 0 and new."lastEventSequence" > old."lastEventSequence")
    execute function "catchUpLastSequence"()`.execute(db)
}
