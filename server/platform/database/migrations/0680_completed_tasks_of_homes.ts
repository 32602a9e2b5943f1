import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** This index finds recently completed tasks of a home. */
export const ahead: readonly LargeIndex[] = [
  {
    name: 'tasks_completedOfHome',
    on: `"tasks" ("organizationId", "homeId", "actualEnd", "id") where "status" = 'completed'`,
  },
]

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
