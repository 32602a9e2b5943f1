import { type Kysely, sql } from 'kysely'

/**
 * Adds identities for sign-in. An identity is an email address. An identity represents all users with that address, one
 * in each of several organizations, so none of these tables belongs to an organization. The tables have the columns
 * that better-auth requires.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "identities" (
      "id" text collate "C" primary key,
      "email" text not null constraint "identities_email_key" unique,
      "emailVerified" boolean not null,
      "name" text not null,
      "image" text,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null
    )`.execute(db)

  await sql`
    create table "sessions" (
      "id" text collate "C" primary key,
      "token" text not null constraint "sessions_token_key" unique,
      "identityId" text collate "C" not null references "identities" ("id") on delete cascade,
      "activeOrganizationId" text collate "C",
      "expiresAt" timestamptz(3) not null,
      "ipAddress" text,
      "userAgent" text,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null
    )`.execute(db)
  await sql`create index "sessions_identityId" on "sessions" ("identityId", "id")`.execute(db)
  await sql`create index "sessions_expiresAt" on "sessions" ("expiresAt")`.execute(db)

  // Sign-in links that work once. Only the hashes of their tokens are stored.
  await sql`
    create table "signInLinks" (
      "id" text collate "C" primary key,
      "identifier" text not null constraint "signInLinks_identifier_key" unique,
      "value" text not null,
      "expiresAt" timestamptz(3) not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null
    )`.execute(db)
  await sql`create index "signInLinks_expiresAt" on "signInLinks" ("expiresAt")`.execute(db)

  // Email addresses are compared across all organizations, regardless of letter case.
  await sql`alter table "users" add column "signInEmail" text generated always as (lower("email")) stored`.execute(db)
  await sql`create index "users_signInEmail" on "users" ("signInEmail", "organizationId", "id")`.execute(db)

  // API keys become a resource of the API, so they receive the columns that all resources have.
  await sql`
    alter table "apiKeys"
      add column "version" integer not null default 1,
      add column "createdBy" jsonb not null default '{"type": "system", "id": null}'`.execute(db)
  for (const column of ['updatedAt', 'name'] as const)
    await sql`create index ${sql.ref(`apiKeys_${column}`)} on "apiKeys" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
}
