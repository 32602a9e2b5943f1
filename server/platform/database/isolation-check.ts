import { type RawBuilder, sql } from 'kysely'
import { DatabaseUnavailableError } from './connection-errors.ts'
import type { Database } from './database.ts'
import { POLICY } from './row-level-security.ts'

/** The time in milliseconds for which a successful check is valid. A check reads one row from each node. */
const VALID_MS = 60_000

/** Thrown if tenant isolation does not work. The message is a sentence for the operator. */
export class IsolationBrokenError extends DatabaseUnavailableError {}

export interface IsolationCheck {
  /**
   * Resolves if requests see only the rows of their own organization.
   *
   * @throws {IsolationBrokenError} if they see rows of other organizations, or none of their own
   */
  assertIsolated(): Promise<void>
}

/**
 * Returns a check that reads in the same way as requests, with the role and the setting of an organization. In a
 * distributed database, it reads from every node, because a policy or a setting can be missing on a single node. If the
 * database is unreachable, the previous result stays valid.
 */
export function createIsolationCheck(database: Database): IsolationCheck {
  let validUntilMs = Number.NEGATIVE_INFINITY
  let isProven = false
  let checking: Promise<void> | null = null
  async function check(): Promise<void> {
    try {
      await assertOwnRowsOnly(database)
      if (!isProven && database.distributed) await assertPoliciesOnNodes(database)
      isProven = true
    } catch (error) {
      if (error instanceof IsolationBrokenError || !isProven) {
        isProven = false
        throw error
      }
    }
    validUntilMs = performance.now() + VALID_MS
  }
  return {
    async assertIsolated() {
      if (isProven && performance.now() < validUntilMs) return
      checking ??= check().finally(() => {
        checking = null
      })
      await checking
    },
  }
}

/** Reads organizations without a condition, and throws if the policies of the role do not hide other organizations. */
async function assertOwnRowsOnly(database: Database): Promise<void> {
  if (database.narrowRole === null) {
    // On a single server, the operator may have decided this, and the service logs a warning when it starts.
    if (!database.distributed) return
    throw new IsolationBrokenError(
      'Row-level security is off, and a distributed database requires it. The user of DATABASE_URL must own the tables and be able to create roles.',
    )
  }
  const { rows } = await sql<{ id: string }>`select "id" from "organizations" limit 2`.execute(database.statements)
  const known = new Set(rows.map(({ id }) => id))
  for (const id of ['none', ...known]) {
    const seen = await sql<{ id: string }>`select "id" from "organizations" limit 2`.execute(database.of(id).statements)
    const ids = seen.rows.map((row) => row.id)
    if (ids.some((other) => other !== id))
      throw new IsolationBrokenError(
        `Row-level security does not hide other organizations from ${database.narrowRole}. Check the policies of the tables on each node.`,
      )
    if (ids.length === 0 && known.has(id) && (await exists(database, id)))
      throw new IsolationBrokenError(
        `Row-level security hides the organization ${id} from its own requests. The setting plumbline.organization does not reach the node with its rows.`,
      )
  }
}

async function exists(database: Database, id: string): Promise<boolean> {
  const { rows } = await sql`select from "organizations" where "id" = ${id}`.execute(database.statements)
  return rows.length > 0
}

// The name of a shard consists of the name of its table and a number.
const UNPROTECTED_SHARDS = `
  select string_agg(c."relname", ', ' order by c."relname") from "pg_class" c
  where c."relkind" = 'r' and pg_table_is_visible(c."oid") and regexp_replace(c."relname", '_[0-9]+$', '') = any(%L::text[])
    and not (c."relrowsecurity" and array(
      select p."polname"::text from "pg_policy" p where p."polrelid" = c."oid" and p."polpermissive") = array[%L])`

/** Throws if a shard has no policy, or has an additional policy that shows all rows. */
async function assertPoliciesOnNodes(database: Database): Promise<void> {
  const tables: RawBuilder<unknown> = sql`array(
    select c."relname"::text from "pg_class" c join "pg_attribute" a on a."attrelid" = c."oid" and not a."attisdropped"
    where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p')
      and a."attname" = case c."relname" when 'organizations' then 'id' else 'organizationId' end)`
  const { rows } = await sql<{ node: string; success: boolean; result: string }>`
    select n."nodename" || ':' || n."nodeport" as "node", r."success", r."result"
    from run_command_on_all_nodes(format(${UNPROTECTED_SHARDS}, ${tables}, ${POLICY}::text)) as r
    join "pg_dist_node" as n on n."nodeid" = r."nodeid"`.execute(database.statements)
  for (const { node, success, result } of rows) {
    if (!success) throw new DatabaseUnavailableError(`The node ${node} did not respond: ${result}`)
    if (result !== '')
      throw new IsolationBrokenError(
        `Tables on ${node} do not have the policy ${POLICY} alone: ${result}. Run "migrate".`,
      )
  }
}
