import { type Kysely, sql } from 'kysely'

/** For each additional type of record, the columns that are searched, as in 0098_search.ts. */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  complianceDocuments: ['carrier', 'policyNumber', 'archivedAt'],
  scopes: ['name', 'code', 'archivedAt'],
  plans: ['code', 'name', 'archivedAt'],
  costCodes: ['code', 'name', 'archivedAt'],
  parts: ['sku', 'name', 'description', 'manufacturer', 'archivedAt'],
  options: ['code', 'name', 'description', 'archivedAt'],
  selections: ['customDescription', 'color', 'location'],
  contracts: ['number', 'notes', 'archivedAt'],
  taskTemplates: ['name', 'archivedAt'],
  tasks: ['name', 'phase', 'archivedAt'],
  milestones: ['name', 'archivedAt'],
}

/** The types of records for which additional columns are searched. */
const CHANGED: Readonly<Record<string, readonly string[]>> = {
  communities: ['name', 'code', 'city', 'state', 'postalCode', 'archivedAt'],
  purchaseOrders: ['number', 'scope', 'vendorId', 'notes'],
}

/** The types of records whose archived records are now also indexed. */
const ARCHIVED = ['vendors', 'homes', 'leads']

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries({ ...SEARCHED, ...CHANGED })) {
    const changed = columns.map(
      (column) => sql`old.${sql.ref(column)}::text is distinct from new.${sql.ref(column)}::text`,
    )
    if (table in SEARCHED)
      await sql`
        create trigger "searchable_new" after insert on ${sql.table(table)}
        for each row execute function "noteSearchable"()`.execute(db)
    else await sql`drop trigger "searchable_changed" on ${sql.table(table)}`.execute(db)
    await sql`
      create trigger "searchable_changed" after update on ${sql.table(table)}
      for each row when (${sql.join(changed, sql` or `)}) execute function "noteSearchable"()`.execute(db)
    await note(db, table)
  }
  // The description of a line never changes, because lines are replaced instead.
  await sql`
    create function "noteSearchableLines"() returns trigger language plpgsql as $$
    begin
      insert into "searchQueue" ("organizationId", "recordId")
        select distinct "organizationId", "purchaseOrderId" from "inserted";
      return null;
    end $$`.execute(db)
  await sql`
    create trigger "searchable_lines" after insert on "purchaseOrderLines" referencing new table as "inserted"
    for each statement execute function "noteSearchableLines"()`.execute(db)
  for (const table of ARCHIVED) await note(db, table, sql`where "archivedAt" is not null`)
}

async function note(db: Kysely<unknown>, table: string, which = sql``): Promise<void> {
  await sql`
    insert into "searchQueue" ("organizationId", "recordId")
    select "organizationId", "id" from ${sql.table(table)} ${which}`.execute(db)
}
