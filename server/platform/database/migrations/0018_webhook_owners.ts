import { type Kysely, sql } from 'kysely'

// The owner that a subscription acts for. The owner of an existing subscription is its creator. The owner's permissions
// determine which events are sent. Without an owner, no events are sent. Pending deliveries that may no longer be sent
// are canceled. Existing rows already satisfied the previous, narrower constraints, so they need not be validated.
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
