import { type Kysely, sql } from 'kysely'

/** The kinds of records that the search over all records now also finds, including by mistyped words. */
const KINDS = ['contracts', 'plans', 'options', 'parts', 'tasks']

/** The words of these records were indexed for their own lists, without variants. The job adds the variants. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of KINDS) {
    await sql`
      insert into "searchQueue" ("organizationId", "recordId")
      select "organizationId", "id" from ${sql.table(table)}`.execute(db)
  }
}
