import { type Kysely, sql } from 'kysely'

/**
 * Passkeys belong to identities instead of organizations, like sessions. The digest of a challenge is stored from the
 * request until the challenge is used or expires. A challenge without an identity belongs to a visitor who has not
 * signed in yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "passkeys" (
      "id" text collate "C" primary key,
      "identityId" text collate "C" not null references "identities" ("id") on delete cascade,
      "name" text not null,
      "credentialId" text collate "C" not null constraint "passkeys_credentialId_key" unique,
      "publicKey" text not null,
      "counter" bigint not null,
      "transports" text[] not null,
      "isSynced" boolean not null,
      "lastUsedAt" timestamptz(3),
      "createdAt" timestamptz(3) not null
    )`.execute(db)
  await sql`create index "passkeys_identityId" on "passkeys" ("identityId", "id")`.execute(db)

  await sql`
    create table "passkeyChallenges" (
      "id" text collate "C" primary key,
      "identityId" text collate "C" references "identities" ("id") on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`.execute(db)
  await sql`create index "passkeyChallenges_identityId" on "passkeyChallenges" ("identityId")`.execute(db)
  await sql`create index "passkeyChallenges_expiresAt" on "passkeyChallenges" ("expiresAt")`.execute(db)
}
