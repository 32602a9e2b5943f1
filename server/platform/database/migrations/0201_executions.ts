import { type Kysely, sql } from 'kysely'

/** Adds the executions of skills: the skill that was run, the caller, and the result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The table has no foreign key to the builder, because a late write must not block erasing the builder.
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
  // The job that deletes executions uses this index. The job keeps an execution longer if the execution changed
  // something.
  await sql`create index "executions_forgotten" on "executions" ("changed", "createdAt")`.execute(db)
}
