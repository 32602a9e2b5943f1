import { type Kysely, sql } from 'kysely'

// The owner that a subscription acts for; for existing ones, their creator. The owner's permissions decide what is
// sent, and without an owner nothing is. Pending deliveries that may no longer be sent are canceled. Existing rows
// already satisfy the narrower checks, so they need not be validated.
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
