import { type Kysely, sql } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

export const ahead: readonly LargeIndex[] = [
  {
    name: 'homes_rescheduleDueAt',
    on: '"homes" ("rescheduleDueAt", "id") where "rescheduleDueAt" is not null',
  },
]

/** Adds the time since which a home waits for a new schedule, after the calendar of its community changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "homes" add column "rescheduleDueAt" timestamptz`.execute(db)
  await createIndexes(db, ahead)
}
