import { type Kysely, sql } from 'kysely'

/** For each additional type of record, the columns that are searched, as in 0098_search.ts. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  leads: ['firstName', 'lastName', 'email', 'phone', 'archivedAt'],
  sales: ['number', 'buyers'],
  payments: ['number', 'invoiceNumber', 'vendorId'],
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries(SEARCHED)) {
    const changed = columns.map(
      (column) => sql`old.${sql.ref(column)}::text is distinct from new.${sql.ref(column)}::text`,
    )
    await sql`
      create trigger "searchable_new" after insert on ${sql.table(table)}
      for each row execute function "noteSearchable"()`.execute(db)
    await sql`
      create trigger "searchable_changed" after update on ${sql.table(table)}
      for each row when (${sql.join(changed, sql` or `)}) execute function "noteSearchable"()`.execute(db)
    await sql`
      insert into "searchQueue" ("organizationId", "recordId") select "organizationId", "id" from ${sql.table(table)}`.execute(
      db,
    )
  }
}
