import { sql } from 'kysely'
import { DatabaseUnavailableError } from './connection-errors.ts'
import type { Database, Db } from './database.ts'
import { ORGANIZATION_SETTING } from './pool-driver.ts'

/**
 * This file implements tenant isolation with row-level security. Every query has a condition on the organization. If a
 * query omits it, the database still hides the rows of other organizations, and rejects new rows for them.
 *
 * Calls use a separate database role. The policies of the tables show this role only the rows of the organization that
 * is set for the session or the transaction. If no organization is set, the role sees no rows. All other database users
 * see all rows. These are users for dumps and reports, and the owner of the tables, as which the service connects for
 * work across organizations. If these users were exempted by a setting instead of a separate role, every plan would
 * contain an "or". With the role, PostgreSQL compares the setting with the organization in the statement only once,
 * before it reads rows.
 *
 * Citus copies policies to its shards without `as restrictive`. Permissive policies are combined with "or", so a
 * distributed table has only the policy of the role. In that case, users who neither own the tables nor have
 * `bypassrls` see no rows.
 */

/** The tables without an organization that calls can use. Calls cannot use any other table without an organization. */
const TABLES_WITHOUT_ORGANIZATION = ['limitWindows']

export const POLICY = 'one_organization'
const POLICY_FOR_OTHERS = 'all_organizations'

interface SecurityState {
  role: string
  exists: boolean
  /** The tables that lack a policy, and the columns that contain their organizations. */
  missing: { table: string; column: string | null }[]
}

/**
 * Enables row-level security on every table with an organization, including new tables, and makes calls use the
 * restricted role. If the role does not exist and the database user may not create it, changes nothing, and
 * `database.narrowRole` stays null.
 */
export async function enableRowLevelSecurity(database: Database): Promise<void> {
  const { sessions: db, distributed } = database
  const { role, exists, missing } = await readSecurityState(db, distributed)
  try {
    if (!exists || missing.length > 0) await db.transaction().execute((trx) => createPolicies(trx, distributed))
    database.narrowTo((await isRestrictedRole(db, role)) ? role : null)
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    database.narrowTo(null)
  }
}

/** Returns whether calls use a role that sees only one organization, and the name of the role. Changes nothing. */
export async function inspectRowLevelSecurity(database: Database): Promise<{ role: string; isRaised: boolean }> {
  const { role, exists, missing } = await readSecurityState(database.sessions, database.distributed)
  if (!exists || missing.length > 0) return { role, isRaised: false }
  try {
    return { role, isRaised: await isRestrictedRole(database.sessions, role) }
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    return { role, isRaised: false }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

// The name of the role contains the name of the owner of the tables. Roles belong to the entire server, and the role of
// one deployment must not be usable by another deployment.
async function readSecurityState(db: Db, distributed: boolean): Promise<SecurityState> {
  const isReady = distributed ? sql`r."rolcanlogin"` : sql`true`
  const hasPolicy = distributed
    ? sql`array(select p."polname"::text from "pg_policy" p where p."polrelid" = c."oid" and p."polpermissive") = array[${POLICY}]`
    : sql`exists (
          select from "pg_policy" p where p."polrelid" = c."oid" and p."polname" = ${POLICY}
            and not p."polpermissive" and r."oid" = any(p."polroles"))`
  const { rows } = await sql<SecurityState>`
    select n."role", r."oid" is not null and ${isReady} as "exists", coalesce((
      select json_agg(json_build_object('table', c."relname", 'column', a."attname") order by c."relname")
      from "pg_class" c
      left join "pg_attribute" a on a."attrelid" = c."oid" and not a."attisdropped"
        and a."attname" = case c."relname" when 'organizations' then 'id' else 'organizationId' end
      where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p')
        and (a."attname" is not null or c."relname" = any(${TABLES_WITHOUT_ORGANIZATION}))
        and not (has_table_privilege(r."oid", c."oid", 'select') and (a."attname" is null or c."relrowsecurity" and ${hasPolicy}))
    ), '[]') as "missing"
    from (
      select (left(pg_get_userbyid("relowner")::text, 46) || '_one_organization')::name::text as "role"
      from "pg_class" where "oid" = '"organizations"'::regclass
    ) n
    left join "pg_roles" r on r."rolname" = n."role"`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('Expected the tables to have an owner.')
  return found
}

async function createPolicies(trx: Db, distributed: boolean): Promise<void> {
  await sql`select pg_advisory_xact_lock(74185024)`.execute(trx)
  const { role, exists } = await readSecurityState(trx, distributed)
  if (distributed) await sql`set local citus.multi_shard_modify_mode = 'sequential'`.execute(trx)
  const name = sql.id(role)
  if (!exists) await createRole(trx, role, distributed)
  for (const { table, column } of (await readSecurityState(trx, distributed)).missing) {
    const on = sql.table(table)
    await sql`grant ${sql.raw(TABLE_GRANTS[table] ?? 'select, insert, update, delete')} on ${on} to ${name}`.execute(
      trx,
    )
    if (column === null) continue
    // The first policy shows all rows to all database users, as if there were no policies. The second policy limits the
    // rows that the role sees.
    await sql`alter table ${on} enable row level security`.execute(trx)
    await sql`drop policy if exists ${sql.id(POLICY)} on ${on}`.execute(trx)
    await sql`drop policy if exists ${sql.id(POLICY_FOR_OTHERS)} on ${on}`.execute(trx)
    if (!distributed) await sql`create policy ${sql.id(POLICY_FOR_OTHERS)} on ${on} using (true)`.execute(trx)
    await sql`create policy ${sql.id(POLICY)} on ${on} ${distributed ? sql`` : sql`as restrictive`} to ${name}
      using (${sql.id(column)} = current_setting(${sql.lit(ORGANIZATION_SETTING)}, true))`.execute(trx)
  }
}

// In a distributed database, the role can log in, because the coordinator connects to the nodes with it.
async function createRole(trx: Db, role: string, distributed: boolean): Promise<void> {
  const login = sql.raw(distributed ? 'login' : 'nologin')
  const { rows } = await sql`select from "pg_roles" where "rolname" = ${role}`.execute(trx)
  if (rows.length > 0) {
    await sql`alter role ${sql.id(role)} ${login}`.execute(trx)
    return
  }
  await sql`create role ${sql.id(role)} ${login}`.execute(trx)
  await sql`grant ${sql.id(role)} to current_user`.execute(trx)
}

/** The statements that calls can execute on a table, if they cannot execute all. */
const TABLE_GRANTS: Record<string, string> = { organizations: 'select', limitWindows: 'select, insert, update' }

// Uses the role to find out whether it works, because the necessary grants differ between versions of PostgreSQL.
async function isRestrictedRole(db: Db, role: string): Promise<boolean> {
  const isActive = sql`row_security_active('"organizations"')`
  return db.transaction().execute(async (trx) => {
    const { rows: before } = await sql<{ blind: boolean }>`
      select ${isActive} and pg_has_role(${role}, 'usage') as "blind"`.execute(trx)
    // If the policies of the role applied to the service's own user, the service itself would not see all rows.
    if (before[0]?.blind === true)
      throw new DatabaseUnavailableError(
        `The user of DATABASE_URL must own the tables, or be a member of ${role} without inheriting its privileges.`,
      )
    await sql`set local role ${sql.id(role)}`.execute(trx)
    const { rows } = await sql<{ active: boolean }>`select ${isActive} as "active"`.execute(trx)
    return rows[0]?.active === true
  })
}
