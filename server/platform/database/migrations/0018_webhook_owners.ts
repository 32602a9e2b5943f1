import { type Kysely, sql } from 'kysely'

// The owner of a subscription, for whom it acts. For existing subscriptions, this is the creator. The permissions of
// the owner determine which events are sent. If there is no owner, no events are sent. Pending deliveries that are no
// longer allowed are canceled. Existing rows meet the previous constraints, which were narrower, so they are not
// validated again.
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "webhooks" add column "owner" jsonb`.execute(db)
  await sql`update "webhooks" set "owner" = "createdBy"`.execute(db)
  await sql`
    alter table "webhooks" alter column "owner" set not null,
      drop constraint "webhooks_disabledReason_check",
      add constraint "webhooks_disabledReason_check"
        check ("disabledReason" in ('requested', 'failures', 'gone', 'owner_revoked')) not valid`.execute(db)
  await sql`
    alter table "deliveries" drop constraint "deliveries_status_check",
      add constraint "deliveries_status_check"
        check ("status" in ('pending', 'succeeded', 'exhausted', 'cancelled')) not valid`.execute(db)
}
