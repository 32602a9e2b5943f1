import { type Kysely, sql } from 'kysely'
import { columns } from './columns.gen.ts'
import type { Tables } from './database.ts'

/**
 * Defines where each table is placed in a database that is distributed over several servers, such as PostgreSQL with
 * Citus. Such a database is for data that is too large for one server. The data is distributed by organization. All
 * rows of an organization are on the same node. A query of a call has a condition on the organization, so it runs on
 * one node. distribution.test.ts compares the schema and the statements with this file.
 * docs/operating/several-machines.md describes the other requirements of such a database.
 */
export type TablePlacement =
  /** Each row is on the node of the organization whose ID is in this column. */
  | { readonly by: 'organizationId' | 'id' }
  /** A copy of the table is on every node, because it is read before the organization is known. */
  | { readonly everywhere: string }
  /** The table is on the coordinator node, because it belongs to no organization. */
  | { readonly coordinator: string }

/** The placement of tables that are not distributed by their column `organizationId`, as all other tables are. */
const PLACED_FOR_HASH_LOOKUP: TablePlacement = {
  everywhere:
    'A caller is found by the hash of a secret before the organization is known. Secrets are rarely created or revoked, but are looked up with every request.',
}
const PLACED_FOR_SIGN_IN: TablePlacement = {
  coordinator: 'A user has one sign-in for all builders, and there is one row for each user.',
}
const PLACEMENT_EXCEPTIONS: Readonly<Partial<Record<keyof Tables, TablePlacement>>> = {
  organizations: { by: 'id' },

  apiKeySecrets: PLACED_FOR_HASH_LOOKUP,
  calendarAddresses: PLACED_FOR_HASH_LOOKUP,
  mailReplyAddresses: PLACED_FOR_HASH_LOOKUP,
  oauthTokens: PLACED_FOR_HASH_LOOKUP,
  ownerLinks: PLACED_FOR_HASH_LOOKUP,
  portalAddresses: PLACED_FOR_HASH_LOOKUP,

  identities: PLACED_FOR_SIGN_IN,
  passkeyChallenges: PLACED_FOR_SIGN_IN,
  passkeys: PLACED_FOR_SIGN_IN,
  sessions: PLACED_FOR_SIGN_IN,
  signInLinks: PLACED_FOR_SIGN_IN,
  oauthClients: { coordinator: 'An app registers before any user connects it, and serves users of many builders.' },
  deployment: { coordinator: 'One row identifies the encryption key of the deployment.' },
  limitWindows: {
    coordinator: 'Callers without a builder are counted too, and all processes share one counter.',
  },
}

export const PLACEMENT_BY_TABLE = Object.fromEntries(
  (Object.keys(columns) as (keyof Tables)[]).map((table) => [
    table,
    PLACEMENT_EXCEPTIONS[table] ?? { by: 'organizationId' },
  ]),
) as Readonly<Record<keyof Tables, TablePlacement>>

/**
 * Files whose statements identify rows by physical location, with the reason why this is safe. A location is unique
 * only within one node.
 */
export const FILES_USING_CTID: Readonly<Record<string, string>> = {
  'operators/builder-data/erase-organization.ts': 'The rows belong to one organization, so they are on one node.',
  'platform/database/delete-ended-limit-windows.ts': 'The table of these rows is on the coordinator.',
}

/** The tables of the migration library, which are not distributed. */
export const MIGRATOR_TABLES = ['kysely_migration', 'kysely_migration_lock']

/**
 * Functions that only processes of an earlier version call. They are not distributed, because earlier versions did not
 * support distributed databases.
 */
export const OBSOLETE_FUNCTIONS = ['"tellAtOf"("tasks")']

interface ForeignKey {
  table: keyof Tables
  to: keyof Tables
  name: string
  definition: string
}

interface Trigger {
  table: string
  name: string
  definition: string
}

/**
 * Returns the statements that distribute a migrated database. The statements must be executed in this order, in one
 * transaction. The first statements drop triggers and foreign keys, and the last ones restore them. A trigger would
 * fire for each row that is copied to its node, and foreign keys would require a particular order of the tables. A
 * foreign key from a table on every node to a distributed table is not restored. If such a foreign key would delete
 * rows by cascade, statements of the service also delete these rows, or never read them.
 *
 * @param tables the tables to distribute; defaults to all tables
 */
export async function listDistributionCommands(
  db: Kysely<Tables> | Kysely<unknown>,
  tables: readonly string[] = Object.keys(PLACEMENT_BY_TABLE),
): Promise<string[]> {
  const names = tables.filter((table) => !('coordinator' in placementOf(table)))
  if (names.length === 0) return []
  const { rows: keys } = await sql<ForeignKey>`
    select c."relname" as "table", f."relname" as "to", k."conname" as "name", pg_get_constraintdef(k."oid") as "definition"
    from "pg_constraint" k join "pg_class" c on c."oid" = k."conrelid" join "pg_class" f on f."oid" = k."confrelid"
    where c."relnamespace" = current_schema()::regnamespace and k."contype" = 'f'
      and (c."relname" = any(${names}::text[]) or f."relname" = any(${names}::text[])) order by 1, 3`.execute(db)
  const { rows: triggers } = await sql<Trigger>`
    select c."relname" as "table", t."tgname" as "name", pg_get_triggerdef(t."oid") as "definition"
    from "pg_trigger" t join "pg_class" c on c."oid" = t."tgrelid"
    where c."relnamespace" = current_schema()::regnamespace and not t."tgisinternal"
      and c."relname" = any(${names}::text[]) order by 1, 2`.execute(db)
  const { rows: functions } = await sql<{ definition: string }>`
    select pg_get_functiondef(p."oid") as "definition" from "pg_proc" p
    where p."pronamespace" = current_schema()::regnamespace and p."prokind" = 'f'
      and quote_ident(p."proname") || '(' || oidvectortypes(p."proargtypes") || ')' <> '"tellAtOf"(tasks)'
      and not exists (select from "pg_depend" d where d."objid" = p."oid" and d."deptype" = 'e')
      -- The functions of generated columns reach the nodes with their tables.
      and not exists (
        select from "pg_depend" d where d."refobjid" = p."oid" and d."classid" = 'pg_attrdef'::regclass)
    order by p."proname"`.execute(db)
  const distributed = names.flatMap((table) => {
    const placement = placementOf(table)
    return 'by' in placement
      ? [
          `select create_distributed_table('"${table}"', '${placement.by}', colocate_with => ${colocateWithFirst(table)})`,
        ]
      : []
  })
  return [
    ...DISTRIBUTION_SETTINGS,
    ...OBSOLETE_FUNCTIONS.map((name) => `drop function if exists ${name}`),
    ...triggers.map(({ table, name }) => `drop trigger "${name}" on "${table}"`),
    ...keys.map(({ table, name }) => `alter table "${table}" drop constraint "${name}"`),
    ...distributed,
    ...names
      .filter((table) => 'everywhere' in placementOf(table))
      .map((table) => `select create_reference_table('"${table}"')`),
    // Remove the copied rows from the files of the coordinator, which no query reads anymore.
    ...names.map((table) => `select truncate_local_data_after_distributing_table('"${table}"')`),
    ...keys
      .filter(canEnforceForeignKey)
      .map(({ table, name, definition }) => `alter table "${table}" add constraint "${name}" ${definition}`),
    // Create the functions again, because the nodes know only functions that were created after the extension.
    ...(triggers.length > 0 ? functions.map(({ definition }) => definition) : []),
    ...triggers.map(({ definition }) => definition),
  ]
}

/** The triggers change only rows of the same organization, which are on the same node. */
export const DISTRIBUTION_SETTINGS = [
  'set local citus.enable_unsafe_triggers = on',
  `set local citus.multi_shard_modify_mode = 'sequential'`,
]

/** If the database is already distributed, distributes the tables that a migration has created. */
export async function distributeNewTables(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ table: string; isPlaced: boolean }>`
    select c."relname" as "table", exists (select from "pg_dist_partition" p where p."logicalrelid" = c."oid") as "isPlaced"
    from "pg_class" c where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p')`.execute(db)
  if (!rows.some(({ table, isPlaced }) => isPlaced && table === FIRST_DISTRIBUTED_TABLE)) return
  const isPlaced = new Map(rows.map((row) => [row.table, row.isPlaced]))
  const created = Object.keys(PLACEMENT_BY_TABLE).filter((table) => isPlaced.get(table) === false)
  for (const command of await listDistributionCommands(db, created)) await sql.raw(command).execute(db)
}

function placementOf(table: string): TablePlacement {
  return PLACEMENT_BY_TABLE[table as keyof Tables]
}

function colocateWithFirst(table: string): string {
  return table === FIRST_DISTRIBUTED_TABLE ? `'none'` : `'"${FIRST_DISTRIBUTED_TABLE}"'`
}

/** The table with which all other distributed tables are colocated. */
const FIRST_DISTRIBUTED_TABLE = Object.entries(PLACEMENT_BY_TABLE).find(([, place]) => 'by' in place)?.[0]

/**
 * Returns whether a distributed database can check the foreign key. It can if both rows are on the same node, or if the
 * referenced table is on every node.
 */
export function canEnforceForeignKey({ table, to }: Pick<ForeignKey, 'table' | 'to'>): boolean {
  const [from, into] = [PLACEMENT_BY_TABLE[table], PLACEMENT_BY_TABLE[to]]
  if ('by' in from) return !('coordinator' in into)
  return !('by' in into)
}
