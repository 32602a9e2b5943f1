import type { Kysely } from 'kysely'
import { createIndexes, type LargeIndex } from '../large-indexes.ts'

/** Lists of journals and period closes can be filtered by creation time. */
export const ahead: readonly LargeIndex[] = ['journals', 'periodCloses'].map((table) => ({
  name: `${table}_createdAt`,
  on: `"${table}" ("organizationId", "createdAt", "id")`,
}))

export async function up(db: Kysely<unknown>): Promise<void> {
  await createIndexes(db, ahead)
}
