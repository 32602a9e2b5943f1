import { type Kysely, sql } from 'kysely'

/**
 * Adds the orders of a task. Their IDs are stored in the row of the task, because a schedule is read as a whole with
 * all of its tasks.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table "tasks"
      add column "poIds" text[] not null default '{}',
      add column "payOnComplete" boolean not null default false`.execute(db)
  await sql`
    alter table "tasks"
      alter column "poIds" drop default,
      alter column "payOnComplete" drop default`.execute(db)
  // To find the tasks of an order, the database reads only the tasks with orders in the same home.
  await sql`create index "tasks_withOrders" on "tasks" ("organizationId", "homeId", "id") where "poIds" <> '{}'`.execute(
    db,
  )
}
