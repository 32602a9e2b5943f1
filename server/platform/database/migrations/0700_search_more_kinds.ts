import { type Kysely, sql } from 'kysely'

/** The types of records that the search across all records now also finds, even by misspelled words. */
const KINDS = ['contracts', 'plans', 'options', 'parts', 'tasks']

/**
 * The words of these records are already indexed for their own lists, but without variants. A job adds the variants.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of KINDS) {
    await sql`
      insert into "searchQueue" ("organizationId", "recordId")
      select "organizationId", "id" from ${sql.table(table)}`.execute(db)
  }
}
