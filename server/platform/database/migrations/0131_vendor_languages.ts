import { type Kysely, sql } from 'kysely'

/** In which language a vendor reads its portal; null leaves it to the browser. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "vendors" add column "language" text`.execute(db)
}
