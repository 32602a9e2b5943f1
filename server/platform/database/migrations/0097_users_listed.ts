import { type Kysely, sql } from 'kysely'

/** The API can now list users, and users will be able to sign in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "users"
      add column "phone" text,
      add column "lastLoginAt" timestamptz(3),
      add column "createdBy" jsonb not null default '{"type": "system", "id": null}'`.execute(db)
  for (const column of ['updatedAt', 'role', 'status', 'name'] as const)
    await sql`create index ${sql.ref(`users_${column}`)} on "users" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
}
