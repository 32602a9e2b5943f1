import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // `secret` and `previousSecret` are encrypted. Both are erased when the subscription is deleted.
  await sql`
    create table "webhooks" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "url" text not null,
      "eventTypes" text[] not null,
      "secret" text,
      "previousSecret" text,
      "previousSecretExpiresAt" timestamptz(3),
      "status" text not null check ("status" in ('active', 'disabled')),
      "disabledReason" text check ("disabledReason" in ('requested', 'failures', 'gone')),
      "disabledAt" timestamptz(3),
      "consecutiveFailures" integer not null default 0,
      "failedProbes" integer not null default 0,
      "pausedUntil" timestamptz(3),
      "excludeOwnChanges" boolean not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      primary key ("organizationId", "id")
    ) with (fillfactor = 80)`.execute(db)
  await sql`create index "webhooks_updatedAt" on "webhooks" ("organizationId", "updatedAt", "id")`.execute(db)

  // The delivery of one event to one subscription. Whether a delivery is held or canceled depends on its subscription,
  // so disabling a subscription updates one row instead of a million. Only test deliveries have a `payload`, because
  // they have no row in "events".
  await sql`
    create table "deliveries" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "webhookId" text collate "C" not null,
      "eventId" text collate "C" not null,
      "eventType" text not null,
      "sequence" bigint not null,
      "test" boolean not null default false,
      "payload" json,
      "status" text not null default 'pending' check ("status" in ('pending', 'succeeded', 'exhausted')),
      "step" integer not null default 0,
      "attemptCount" integer not null default 0,
      "nextAttemptAt" timestamptz(3) not null,
      "claimedUntil" timestamptz(3),
      "claimId" text,
      "lastAttemptAt" timestamptz(3),
      "responseStatus" integer,
      "error" text,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      constraint "deliveries_webhookId_fkey" foreign key ("organizationId", "webhookId") references "webhooks" ("organizationId", "id")
    ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)`.execute(db)
  // Indexes for pending deliveries in the order of sending, and for deliveries in progress. Both stay small, however
  // large the table is.
  await sql`
    create index "deliveries_due" on "deliveries" ("organizationId", "webhookId", "nextAttemptAt", "sequence")
    where "status" = 'pending' and not "test" and "claimedUntil" is null`.execute(db)
  await sql`
    create index "deliveries_claimed" on "deliveries" ("organizationId", "webhookId", "claimedUntil")
    where "claimedUntil" is not null`.execute(db)
  await sql`create index "deliveries_tests" on "deliveries" ("nextAttemptAt") where "status" = 'pending' and "test"`.execute(
    db,
  )
  await sql`create index "deliveries_webhookId" on "deliveries" ("organizationId", "webhookId", "id")`.execute(db)
  await sql`create index "deliveries_updatedAt" on "deliveries" ("organizationId", "webhookId", "updatedAt", "id")`.execute(
    db,
  )
  await sql`create unique index "deliveries_eventId_key" on "deliveries" ("organizationId", "webhookId", "eventId")`.execute(
    db,
  )

  await sql`
    create table "deliveryAttempts" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "deliveryId" text collate "C" not null,
      "url" text not null,
      "attemptedAt" timestamptz(3) not null,
      "durationMs" integer not null,
      "outcome" text not null,
      "responseStatus" integer,
      "responseBody" text,
      "error" text,
      primary key ("organizationId", "deliveryId", "id"),
      constraint "deliveryAttempts_deliveryId_fkey" foreign key ("organizationId", "deliveryId")
        references "deliveries" ("organizationId", "id") on delete cascade
    )`.execute(db)
  // Attempts are stored and deleted in chronological order, so a block range index is sufficient.
  await sql`create index "deliveryAttempts_attemptedAt" on "deliveryAttempts" using brin ("attemptedAt")`.execute(db)
}
