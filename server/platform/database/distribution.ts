import { sql } from 'kysely'
import { columns } from './columns.gen.ts'
import type { Db, Tables } from './database.ts'

/**
 * The place of each table on a database that is distributed over several machines, such as PostgreSQL with Citus. Such
 * a database spreads what outgrows one PostgreSQL over many by organization. A query of a call names its organization,
 * so one node executes it, and all rows of one organization are on the same node. distribution.test.ts compares the
 * schema and the statements with this file. docs/operating/several-machines.md describes what else such a database
 * needs.
 */
export type TablePlacement =
  /** On the node of its organization, whose ID is in this column. */
  | { readonly by: 'organizationId' | 'id' }
  /** On every node, because it is read before the organization is known. */
  | { readonly everywhere: string }
  /** On the coordinator node, because it belongs to no organization. */
  | { readonly coordinator: string }

/** Tables that are not on the node of the organization in their column `organizationId`; all others are. */
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
  oauthTokens: PLACED_FOR_HASH_LOOKUP,
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
 * Files whose statements identify rows by their place on the disk, which is unique only within one node, and why that
 * is safe.
 */
export const FILES_USING_CTID: Readonly<Record<string, string>> = {
  'operators/builder-data/erase-organization.ts': 'The rows belong to one organization, so they are on one node.',
  'platform/database/delete-ended-windows.ts': 'Its table is on the coordinator.',
  // Must be rewritten before the tables are distributed (docs/operating/several-machines.md). Measured by the
  // database's processor time, compared with the present statement in the same rounds:
  // - A claim by keys in one statement costs 12 to 23 % more if the planner may neither hash nor merge, and up to 3.4
  //   times as much if it may.
  // - A claim by keys with one statement for each organization, as a distributed database needs, costs -10 to 13 % more
  //   for deliveries of one organization, 2.8 times as much for those of five, and 5 times as much for those of twenty.
  'platform/webhooks/claims.ts':
    'On a single PostgreSQL server, no other statement is as fast for subscriptions of several organizations.',
}

/** The migrator's own tables, which stay where they are. */
export const MIGRATOR_TABLES = ['kysely_migration', 'kysely_migration_lock']

/** Functions that only processes of the previous version still call, which a distributed database never had. */
export const OBSOLETE_FUNCTIONS = ['"tellAtOf"("tasks")']

interface ForeignKey {
  table: keyof Tables
  to: keyof Tables
  name: string
  definition: string
}

/**
 * Returns the statements that distribute a migrated database, in order. Foreign keys are dropped first and restored
 * afterwards, so that the order of the tables does not matter. Foreign keys from a table on every node into a
 * distributed one cannot be restored. The rows that they would delete in passing are also deleted by statements of our
 * own, or are never read.
 */
export async function listDistributionCommands(db: Db): Promise<string[]> {
  const { rows: keys } = await sql<ForeignKey>`
    select c."relname" as "table", f."relname" as "to", k."conname" as "name", pg_get_constraintdef(k."oid") as "definition"
    from "pg_constraint" k join "pg_class" c on c."oid" = k."conrelid" join "pg_class" f on f."oid" = k."confrelid"
    where c."relnamespace" = current_schema()::regnamespace and k."contype" = 'f' order by 1, 3`.execute(db)
  const tables = Object.entries(PLACEMENT_BY_TABLE)
  return [
    // Our triggers only touch rows of the same organization, which are on the same node.
    'set citus.enable_unsafe_triggers = on',
    ...OBSOLETE_FUNCTIONS.map((name) => `drop function ${name}`),
    ...keys.map(({ table, name }) => `alter table "${table}" drop constraint "${name}"`),
    ...tables.flatMap(([table, place]) =>
      'by' in place
        ? [`select create_distributed_table('"${table}"', '${place.by}', colocate_with => ${colocateWithFirst(table)})`]
        : [],
    ),
    ...tables.flatMap(([table, place]) =>
      'everywhere' in place ? [`select create_reference_table('"${table}"')`] : [],
    ),
    ...keys
      .filter(canEnforceForeignKey)
      .map(({ table, name, definition }) => `alter table "${table}" add constraint "${name}" ${definition}`),
  ]
}

function colocateWithFirst(table: string): string {
  return table === FIRST_DISTRIBUTED_TABLE ? `'none'` : `'"${FIRST_DISTRIBUTED_TABLE}"'`
}

/** The other tables are colocated with this one. */
const FIRST_DISTRIBUTED_TABLE = Object.entries(PLACEMENT_BY_TABLE).find(([, place]) => 'by' in place)?.[0]

/** Returns whether a distributed database can check the foreign key: on one node, or into a table that is on all. */
export function canEnforceForeignKey({ table, to }: Pick<ForeignKey, 'table' | 'to'>): boolean {
  const [from, into] = [PLACEMENT_BY_TABLE[table], PLACEMENT_BY_TABLE[to]]
  if ('by' in from) return !('coordinator' in into)
  return !('by' in into)
}
