import { type Kysely, sql } from 'kysely'

/** Filter columns of tables that grow continuously. */
const FILTERED: Record<string, readonly string[]> = {
  vendors: ['status', 'complianceStatus'],
  communities: ['status'],
  plans: ['status'],
  homes: ['status', 'homeType', 'lotNumber'],
  costCodes: ['category'],
  options: ['status', 'optionType'],
  contracts: ['status', 'contractType', 'scope'],
  bidRequests: ['scope'],
  bids: ['status', 'scope', 'source'],
  purchaseOrders: ['scope', 'poType'],
  payments: ['paymentType'],
  tasks: ['status', 'scope', 'taskKind', 'isCritical'],
  milestones: ['status', 'milestoneType'],
}

/** Filter columns that few records have. */
const RARE: Record<string, readonly string[]> = {
  purchaseOrders: ['varianceReasonCode', 'varianceResponsible'],
  milestones: ['targetDate'],
}

/** Columns with lists of IDs of linked records. With row-level security, PostgreSQL does not use an index on a list. */
const LINKED: Record<string, readonly string[]> = {
  bidRequests: ['homeIds'],
  leads: ['communityIds', 'planIds'],
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries(FILTERED))
    for (const column of columns)
      await sql`create index if not exists ${sql.ref(`${table}_${column}_id`)} on ${sql.table(table)} ("organizationId", ${sql.ref(column)}, "id")`.execute(
        db,
      )
  for (const [table, columns] of Object.entries(RARE))
    for (const column of columns)
      await sql`create index if not exists ${sql.ref(`${table}_${column}_id`)} on ${sql.table(table)} ("organizationId", ${sql.ref(column)}, "id")
        where ${sql.ref(column)} is not null`.execute(db)

  await sql`
    create table "links" (
      "organizationId" text collate "C" not null references "organizations" ("id"),
      "linkedId" text collate "C" not null,
      "recordId" text collate "C" not null,
      primary key ("organizationId", "linkedId", "recordId")
    )`.execute(db)
  await sql`create index "links_recordId" on "links" ("organizationId", "recordId")`.execute(db)
  for (const [table, columns] of Object.entries(LINKED)) {
    const linked = sql.join(
      columns.map((column) => sql`new.${sql.ref(column)}`),
      sql` || `,
    )
    const before = sql.join(
      columns.map((column) => sql`old.${sql.ref(column)}`),
      sql` || `,
    )
    const name = sql.ref(`link_${table}`)
    await sql`
      create function ${name}() returns trigger language plpgsql as $$
      begin
        if tg_op <> 'INSERT' then
          delete from "links" where "organizationId" = old."organizationId" and "recordId" = old."id";
        end if;
        if tg_op <> 'DELETE' then
          insert into "links" select distinct new."organizationId", l."id", new."id" from unnest(${linked}) as l ("id");
        end if;
        return null;
      end $$`.execute(db)
    await sql`create trigger "linked_new" after insert on ${sql.table(table)} for each row when (cardinality(${linked}) > 0) execute function ${name}()`.execute(
      db,
    )
    await sql`create trigger "linked_changed" after update on ${sql.table(table)} for each row when (${linked} is distinct from ${before}) execute function ${name}()`.execute(
      db,
    )
    await sql`create trigger "linked_gone" after delete on ${sql.table(table)} for each row execute function ${name}()`.execute(
      db,
    )
    const all = sql.join(
      columns.map((column) => sql`t.${sql.ref(column)}`),
      sql` || `,
    )
    await sql`
      insert into "links" select distinct t."organizationId", l."id", t."id"
      from ${sql.table(table)} as t, unnest(${all}) as l ("id")`.execute(db)
  }
}
