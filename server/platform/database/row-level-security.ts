import { sql } from 'kysely'
import { DatabaseUnavailable } from './connection-errors.ts'
import type { Database, Db } from './database.ts'
import { ORGANIZATION_SETTING } from './pool-driver.ts'

/**
 * Tenant isolation by row-level security. Every query already filters by its organization. If a query ever omits that,
 * the database still shows it no other organization's rows, and accepts none for another.
 *
 * Calls work as a separate role. The tables' policies show it only the rows of the organization that is set for the
 * session or the transaction, and none if none is set. All other users see all rows: the owner of the tables, as whom
 * the service connects and works across organizations, a dump, and a report. A setting that exempts them would put an
 * "or" into every plan. This way the planner compares the setting with the statement's own organization once, before it
 * reads anything.
 */

/** Tables without an organization that calls use. All others are closed to them. */
const TABLES_WITHOUT_ORGANIZATION = ['limitWindows']

const POLICY = 'one_organization'

interface SecurityState {
  role: string
  exists: boolean
  /** Tables without row-level security, each with the column of its organization. */
  missing: { table: string; column: string | null }[]
}

/**
 * Enables row-level security on every table with an organization, including new ones, and lets calls use it. If the
 * database user may not create the role and nobody has created it, nothing changes and `database.narrowRole` is null.
 */
export async function enableRowLevelSecurity(database: Database): Promise<void> {
  const db = database.sessions
  const { role, exists, missing } = await readSecurityState(db)
  try {
    if (!exists || missing.length > 0) await db.transaction().execute(createPolicies)
    database.narrowTo((await isRestrictedRole(db, role)) ? role : null)
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    database.narrowTo(null)
  }
}

/**
 * Returns whether requests run as the role that sees one organization only, and the name of that role. Changes nothing.
 */
export async function inspectRowLevelSecurity(database: Database): Promise<{ role: string; isRaised: boolean }> {
  const { role, exists, missing } = await readSecurityState(database.sessions)
  if (!exists || missing.length > 0) return { role, isRaised: false }
  try {
    return { role, isRaised: await isRestrictedRole(database.sessions, role) }
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    return { role, isRaised: false }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

// The role is named after the tables' owner, because roles belong to the whole server: those of another deployment must
// not be able to act as this one's.
async function readSecurityState(db: Db): Promise<SecurityState> {
  const { rows } = await sql<SecurityState>`
    select n."role", r."oid" is not null as "exists", coalesce((
      select json_agg(json_build_object('table', c."relname", 'column', a."attname") order by c."relname")
      from "pg_class" c
      left join "pg_attribute" a on a."attrelid" = c."oid" and not a."attisdropped"
        and a."attname" = case c."relname" when 'organizations' then 'id' else 'organizationId' end
      where c."relnamespace" = current_schema()::regnamespace and c."relkind" in ('r', 'p')
        and (a."attname" is not null or c."relname" = any(${TABLES_WITHOUT_ORGANIZATION}))
        and not (has_table_privilege(r."oid", c."oid", 'select') and (a."attname" is null or c."relrowsecurity" and exists (
          select from "pg_policy" p where p."polrelid" = c."oid" and p."polname" = ${POLICY} and r."oid" = any(p."polroles"))))
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

async function createPolicies(trx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(74185024)`.execute(trx)
  const { role, exists } = await readSecurityState(trx)
  const name = sql.id(role)
  if (!exists) {
    await sql`create role ${name} nologin`.execute(trx)
    await sql`grant ${name} to current_user`.execute(trx)
  }
  for (const { table, column } of (await readSecurityState(trx)).missing) {
    const on = sql.table(table)
    await sql`grant ${sql.raw(TABLE_GRANTS[table] ?? 'select, insert, update, delete')} on ${on} to ${name}`.execute(
      trx,
    )
    if (column === null) continue
    // One policy shows all rows to everybody, as without policies. The other restricts what the role may see.
    await sql`alter table ${on} enable row level security`.execute(trx)
    await sql`drop policy if exists ${sql.id(POLICY)} on ${on}`.execute(trx)
    await sql`drop policy if exists "all_organizations" on ${on}`.execute(trx)
    await sql`create policy "all_organizations" on ${on} using (true)`.execute(trx)
    await sql`create policy ${sql.id(POLICY)} on ${on} as restrictive to ${name}
      using (${sql.id(column)} = current_setting(${sql.lit(ORGANIZATION_SETTING)}, true))`.execute(trx)
  }
}

/** The statements that calls may run on a table, if not all of them. */
const TABLE_GRANTS: Record<string, string> = { organizations: 'select', limitWindows: 'select, insert, update' }

// Tried instead of inferred: whether we can work as the role depends on grants that differ between PostgreSQL versions.
async function isRestrictedRole(db: Db, role: string): Promise<boolean> {
  const isActive = sql`row_security_active('"organizations"')`
  return db.transaction().execute(async (trx) => {
    const { rows: before } = await sql<{ blind: boolean }>`
      select ${isActive} and pg_has_role(${role}, 'usage') as "blind"`.execute(trx)
    // A policy that hides rows from the role would also hide them from the service itself.
    if (before[0]?.blind === true)
      throw new DatabaseUnavailable(
        `The user of DATABASE_URL must own the tables, or be a member of ${role} without inheriting its privileges.`,
      )
    await sql`set local role ${sql.id(role)}`.execute(trx)
    const { rows } = await sql<{ active: boolean }>`select ${isActive} as "active"`.execute(trx)
    return rows[0]?.active === true
  })
}
