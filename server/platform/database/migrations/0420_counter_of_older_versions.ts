import { type Kysely, sql } from 'kysely'

/**
 * Since migration 0330, the last sequence of an organization's events is that of its newest event. Earlier versions
 * increment a counter instead, which the current version does not update. After a rollback to such a version, the
 * counter would return sequences that are already used. Therefore, this trigger sets the counter to the last sequence
 * whenever that version increments it. The trigger can be removed when rollbacks to these versions are no longer
 * supported.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function "catchUpLastSequence"() returns trigger language plpgsql as $$
    begin
      new."lastEventSequence" := new."lastEventSequence" - old."lastEventSequence" + greatest(old."lastEventSequence", (
        select max(e."sequence") from "events" as e where e."organizationId" = new."id" and e."sequence" is not null));
      return new;
    end $$`.execute(db)
  // Do nothing if the update comes from the trigger "keepLastSequence", because its value is correct.
  await sql`
    create trigger "organizations_lastEventSequence" before update of "lastEventSequence" on "organizations"
    for each row when (pg_trigger_depth() = 0 and new."lastEventSequence" > old."lastEventSequence")
    execute function "catchUpLastSequence"()`.execute(db)
}
