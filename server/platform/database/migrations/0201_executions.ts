import { type Kysely, sql } from 'kysely'

/** Adds executions of skills: the skill, the caller, and the result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The table has no foreign key to the builder. With one, an execution that is written late would block the erasure of
  // the builder.
  await sql`
    create table "executions" (
      "organizationId" text collate "C" not null,
      "id" text collate "C" not null,
      "skill" text collate "C" not null,
      "skills" text[] collate "C" not null,
      "input" jsonb,
      "dryRun" boolean not null,
      "status" text collate "C" not null,
      "problem" text collate "C",
      "changed" boolean not null,
      "resourceIds" text[] collate "C" not null,
      "durationMs" integer not null,
      "requestId" text not null,
      "version" integer not null,
      "createdBy" jsonb not null,
      "actorId" text collate "C" generated always as ("createdBy"->>'id') stored,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "id")
    )`.execute(db)
  for (const column of ['skill', 'status', 'actorId', 'updatedAt'] as const)
    await sql`create index ${sql.ref(`executions_${column}`)} on "executions" ("organizationId", ${sql.ref(column)}, "id")`.execute(
      db,
    )
  // This index is for the job that deletes executions. Executions that changed data are kept longer.
  await sql`create index "executions_forgotten" on "executions" ("changed", "createdAt")`.execute(db)
}
