import { type Kysely, sql } from 'kysely'

/**
 * Since migration 0330, the last sequence of an organization's events is read from the events. Earlier versions
 * increment a counter instead, which the current version no longer updates. After a rollback to such a version, the
 * sequences of the counter would already be used. The counter therefore catches up when that version increments it.
 * Remove this trigger when a rollback to those versions is no longer supported.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "catchUpLastSequence"() returns trigger language plpgsql as $$
    begin
      new."lastEventSequence" := new."lastEventSequence" - old."lastEventSequence" + greatest(old."lastEventSequence", (
        select max(e."sequence") from "events" as e where e."organizationId" = new."id" and e."sequence" is not null));
      return new;
    end $$`.execute(db)
  // "keepLastSequence" is itself a trigger, and sets the counter to a value that is already correct.
  await sql`
    create trigger "organizations_lastEventSequence" before update of "lastEventSequence" on "organizations"
    for each row when (pg_trigger_depth() = 0 and new."lastEventSequence" > old."lastEventSequence")
    execute function "catchUpLastSequence"()`.execute(db)
}
