import { type Kysely, sql } from 'kysely'

/**
 * For each type of record, the columns that are searched. The searched text is composed when a record is indexed (see
 * platform/search/indexed-kinds.ts).
 */
const SEARCHED: Readonly<Record<string, readonly string[]>> = {
  vendors: ['companyName', 'contactName', 'email', 'phone', 'licenseNumber', 'archivedAt'],
  communities: ['name', 'code', 'city', 'archivedAt'],
  homes: ['name', 'lotNumber', 'block', 'address', 'archivedAt'],
  bidRequests: ['number', 'title', 'scope'],
  bids: ['bidRequestId', 'vendorId'],
  purchaseOrders: ['number', 'scope', 'vendorId'],
  users: ['name', 'email'],
}

export async function up(db: Kysely<unknown>): Promise<void> {
  // With row-level security, PostgreSQL does not use trigram indexes, because their comparisons could leak hidden rows.
  // Comparisons of texts are leakproof. Therefore, each word of a record is a row, which is found by the beginning of
  // the word.
  await sql`
    create table "searchWords" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "kind" text collate "C" not null,
      "recordId" text collate "C" not null,
      "word" text collate "C" not null,
      primary key ("organizationId", "recordId", "word")
    )`.execute(db)
  await sql`create index "searchWords_word" on "searchWords" ("organizationId", "kind", "word", "recordId" desc)`.execute(
    db,
  )
  // All words that occur, each unchanged and with any one letter removed, so that a misspelled word also finds them.
  await sql`
    create table "searchVariants" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "variant" text collate "C" not null,
      "word" text collate "C" not null,
      primary key ("organizationId", "variant", "word")
    )`.execute(db)
  await sql`create index "searchVariants_word" on "searchVariants" ("organizationId", "word")`.execute(db)
  // The queue of changed records to be indexed, in order.
  await sql`
    create table "searchQueue" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "place" bigint not null generated always as identity,
      "recordId" text collate "C" not null,
      primary key ("organizationId", "place"),
      constraint "searchQueue_place_key" unique ("place")
    )`.execute(db)
  await sql`
    create function "noteSearchable"() returns trigger language plpgsql as $$
    begin
      insert into "searchQueue" ("organizationId", "recordId") values (new."organizationId", new."id");
      return null;
    end $$`.execute(db)
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
