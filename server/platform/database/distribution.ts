import { sql } from 'kysely'
import { columns } from './columns.gen.ts'
import type { Db, Tables } from './database.ts'

/**
 * Where each table lies on a database that is distributed over several machines, such as PostgreSQL with Citus: what
 * outgrows one PostgreSQL is put on many of them by organization. A query of a call names its organization, so one node
 * answers it by itself, and what belongs to one organization lies on the same node. distribution.test.ts holds the schema
 * and the statements against this file; docs/operating/several-machines.md says what else such a database needs.
 */
export type Place =
  /** On the node of its organization, which is in this column. */
  | { readonly by: 'organizationId' | 'id' }
  /** On every node, because it is read before the organization is known. */
  | { readonly everywhere: string }
  /** On the node that takes the statements, because it belongs to no organization. */
  | { readonly coordinator: string }

/** Tables that do not lie on the node of the organization in their column `organizationId`, as all others do. */
const FOUND_BY_HASH: Place = {
  everywhere:
    'A caller is found by the hash of a secret, and only then the organization is known. Secrets are made and ended seldom and looked up all the time.',
}
const OF_PEOPLE: Place = {
  coordinator: 'A person has one sign-in for all builders, and there are as many rows as people.',
}
const ELSEWHERE: Readonly<Partial<Record<keyof Tables, Place>>> = {
  organizations: { by: 'id' },

  apiKeySecrets: FOUND_BY_HASH,
  calendarAddresses: FOUND_BY_HASH,
  oauthTokens: FOUND_BY_HASH,
  portalAddresses: FOUND_BY_HASH,

  identities: OF_PEOPLE,
  passkeyChallenges: OF_PEOPLE,
  passkeys: OF_PEOPLE,
  sessions: OF_PEOPLE,
  signInLinks: OF_PEOPLE,
  oauthClients: { coordinator: 'An app registers before anybody lets it in, and serves people of many builders.' },
  deployment: { coordinator: 'One row says what the deployment is sealed with.' },
  limitWindows: {
    coordinator: 'Callers that are no builder are counted too, and all processes take shares of one counter.',
  },
}

export const DISTRIBUTION = Object.fromEntries(
  (Object.keys(columns) as (keyof Tables)[]).map((table) => [table, ELSEWHERE[table] ?? { by: 'organizationId' }]),
) as Readonly<Record<keyof Tables, Place>>

/**
 * Files whose statements name rows by their place on the disk, which names a row on one node only, and why that is well.
 */
export const BY_PLACE_ON_DISK: Readonly<Record<string, string>> = {
  'operators/builder-data/erase-organization.ts': 'Within one organization, so on one node.',
  'platform/database/limit-windows.ts': 'Its table is the coordinator’s.',
  // To be rewritten before the tables are distributed (docs/operating/several-machines.md). Claiming deliveries was measured by the
  // database's processor time, each way next to the other in the same rounds. By their keys in one statement a claim
  // takes 12 to 23 % more if the planner may neither hash nor merge, and up to 3.4 times as much if it may; by their keys
  // in one statement for each organization, as a distributed database would want it, -10 to 13 % more for deliveries of
  // one organization, 2.8 times as much for those of five, and 5 times as much for those of twenty.
  'platform/webhooks/claims.ts':
    'On one PostgreSQL nothing else is as fast for subscriptions of several organizations.',
}

/** Tables of the migrator, which are none of ours and stay where they are. */
export const OF_THE_MIGRATOR = ['kysely_migration', 'kysely_migration_lock']

/** Functions that only processes of the version before still call, which a distributed database never had. */
export const OUTLIVED_FUNCTIONS = ['"tellAtOf"("tasks")']

interface ForeignKey {
  table: keyof Tables
  to: keyof Tables
  name: string
  definition: string
}

/**
 * The statements that distribute a migrated database, in order. Foreign keys are taken away and put back, so that it
 * matters to none which table comes first. Those from a table that is on every node into a distributed one cannot be
 * kept there; what they remove in passing is removed by statements of our own as well, or found by nobody.
 */
export async function distributionCommands(db: Db): Promise<string[]> {
  const { rows: keys } = await sql<ForeignKey>`
    select c."relname" as "table", f."relname" as "to", k."conname" as "name", pg_get_constraintdef(k."oid") as "definition"
    from "pg_constraint" k join "pg_class" c on c."oid" = k."conrelid" join "pg_class" f on f."oid" = k."confrelid"
    where c."relnamespace" = current_schema()::regnamespace and k."contype" = 'f' order by 1, 3`.execute(db)
  const tables = Object.entries(DISTRIBUTION)
  return [
    // Ours only touch rows of the same organization, which are on the same node.
    'set citus.enable_unsafe_triggers = on',
    ...OUTLIVED_FUNCTIONS.map((name) => `drop function ${name}`),
    ...keys.map(({ table, name }) => `alter table "${table}" drop constraint "${name}"`),
    ...tables.flatMap(([table, place]) =>
      'by' in place
        ? [`select create_distributed_table('"${table}"', '${place.by}', colocate_with => ${beside(table)})`]
        : [],
    ),
    ...tables.flatMap(([table, place]) =>
      'everywhere' in place ? [`select create_reference_table('"${table}"')`] : [],
    ),
    ...keys
      .filter(canStand)
      .map(({ table, name, definition }) => `alter table "${table}" add constraint "${name}" ${definition}`),
  ]
}

function beside(table: string): string {
  return table === FIRST ? `'none'` : `'"${FIRST}"'`
}

/** The others are put beside this one. */
const FIRST = Object.entries(DISTRIBUTION).find(([, place]) => 'by' in place)?.[0]

/** Whether a distributed database can check the foreign key: on one node, or into a table that is on all. */
export function canStand({ table, to }: Pick<ForeignKey, 'table' | 'to'>): boolean {
  const [from, into] = [DISTRIBUTION[table], DISTRIBUTION[to]]
  if ('by' in from) return !('coordinator' in into)
  return !('by' in into)
}
