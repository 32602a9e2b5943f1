import { type Kysely, sql } from 'kysely'

/** Adds apps that act for users: the data with which each app registers, its grants, and its tokens. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // An app can register before a user authorizes it, so it belongs to no organization.
  await sql`
    create table "oauthClients" (
      "id" text collate "C" primary key,
      "name" text not null,
      "redirectUris" text[] not null,
      "createdAt" timestamptz(3) not null,
      "grantedAt" timestamptz(3)
    )`.execute(db)
  // This index is for the job that deletes unused apps, and for limiting the number of apps that no user has
  // authorized.
  await sql`create index "oauthClients_unused" on "oauthClients" ("createdAt") where "grantedAt" is null`.execute(db)
  await sql`create index "oauthClients_grantedAt" on "oauthClients" ("grantedAt")`.execute(db)

  // A grant is kept after its app is deleted, because it shows who acted. Therefore, it contains the name of the app
  // and has no foreign key to the app.
  await sql`
    create table "oauthGrants" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "id" text collate "C" not null,
      "userId" text collate "C" not null,
      "clientId" text collate "C" not null,
      "clientName" text not null,
      "redirectHost" text not null,
      "permissions" text[] not null,
      "proposeOnly" boolean not null,
      "audience" text not null,
      "expiresAt" timestamptz(3) not null,
      "revokedAt" timestamptz(3),
      "lastUsedAt" timestamptz(3),
      "version" integer not null,
      "createdBy" jsonb not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id"),
      foreign key ("organizationId", "userId") references "users" ("organizationId", "id")
    )`.execute(db)
  await sql`create index "oauthGrants_updatedAt" on "oauthGrants" ("organizationId", "updatedAt", "id")`.execute(db)
  await sql`create index "oauthGrants_userId" on "oauthGrants" ("organizationId", "userId", "id")`.execute(db)
  await sql`create index "oauthGrants_clientId" on "oauthGrants" ("clientId")`.execute(db)

  // The hashes of codes, access tokens, and refresh tokens. A used code or token is kept until it expires, so that a
  // second use is detected.
  await sql`
    create table "oauthTokens" (
      "hash" bytea primary key,
      "organizationId" text collate "C" not null,
      "grantId" text collate "C" not null,
      "kind" text not null check ("kind" in ('code', 'access', 'refresh')),
      "redirectUri" text,
      "challenge" text,
      "expiresAt" timestamptz(3) not null,
      "spentAt" timestamptz(3),
      constraint "oauthTokens_grantId_fkey" foreign key ("organizationId", "grantId")
        references "oauthGrants" ("organizationId", "id") on delete cascade
    )`.execute(db)
  await sql`create index "oauthTokens_grantId" on "oauthTokens" ("organizationId", "grantId")`.execute(db)
  await sql`create index "oauthTokens_expiresAt" on "oauthTokens" ("expiresAt")`.execute(db)

  // The grant of the app through which a user acted. The name of the app is stored only on the grant, where it can be
  // erased.
  await sql`alter table "auditEntries" add column "actorGrantId" text collate "C"`.execute(db)
}
