import { type Kysely, sql } from 'kysely'

/**
 * Adds the orders that belong to a task. The orders are stored in the task's row, because a schedule is read as a whole
 * with all its tasks.
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
  // The tasks of an order are found among the tasks of its home that have orders.
  await sql`create index "tasks_withOrders" on "tasks" ("organizationId", "homeId", "id") where "poIds" <> '{}'`.execute(
    db,
  )
}
