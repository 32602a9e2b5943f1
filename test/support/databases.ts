import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { inject } from 'vitest'
import {
  createEmbeddedDatabase,
  type Database,
  type DatabaseConfig,
  openDatabase,
} from '../../server/platform/database/database.ts'
import { type CitusCluster, createCitusDatabase, dropCitusDatabases } from './citus.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server on which tests create databases; null to run them on PGlite. */
    postgres: { adminUrl: string; templateName: string; statementsFolder: string } | null
    /** The cluster on which to create databases that are distributed with Citus. Undefined in all other runs. */
    citus: CitusCluster | undefined
    /** The folder of a migrated embedded database, which tests copy. */
    pgliteTemplate: string | null
  }
}

/**
 * A database that several test files use. A file empties its databases, and the next file in the same process uses them
 * again, because creating a database takes longer than the tests of most files.
 */
interface ReusableDatabase {
  /** The initial structure of the database: its tables, and the rows that the migrations inserted. */
  readonly shape: string
  readonly run: RunStatements
  /** Empties the database. Returns false if the database cannot be used again. Absent if the general method works. */
  reset?(): Promise<boolean>
  /** Opens the database. It then stays open, because the first statements of a new session are slow. */
  open(bounds: Bounds): Promise<Database>
  /** Deletes a database that cannot be used again. */
  remove(): Promise<void>
}

/** Runs a text of several statements and returns the rows of the last one. */
type RunStatements = (text: string) => Promise<Record<string, unknown>[]>

type Bounds = Pick<DatabaseConfig, 'databaseConnections' | 'databaseStatementTimeoutMs'>

const freeDatabases: ReusableDatabase[] = []
/**
 * The maximum number of databases to keep. A test file seldom opens more than two databases at a time, and each
 * database uses memory.
 */
const MAX_FREE = 2

/** Returns an empty, migrated database. */
export async function createTestDatabase(bounds: Bounds = { databaseConnections: 24 }): Promise<Database> {
  const postgres = inject('postgres')
  const citus = inject('citus')
  const create = () => (citus ? createCitus(citus) : postgres === null ? createEmbedded() : createPostgres(postgres))
  const stored = freeDatabases.pop() ?? (await create())
  const database: Database = Object.create(await stored.open(bounds))
  let closing: Promise<void> | null = null
  return Object.assign(database, {
    close() {
      closing ??= returnDatabase(stored)
      return closing
    },
  })
}

// Emptying the tables on all nodes takes longer than copying the template again.
async function createCitus(cluster: CitusCluster): Promise<ReusableDatabase> {
  const url = await createCitusDatabase(cluster)
  const stored = await openReusable(url)
  return {
    ...stored,
    reset: async () => false,
    async remove() {
      await stored.remove()
      await dropCitusDatabases({ ...cluster, prefix: new URL(url).pathname.slice(1) })
    },
  }
}

async function returnDatabase(stored: ReusableDatabase): Promise<void> {
  if (freeDatabases.length < MAX_FREE && (await (stored.reset?.() ?? resetDatabase(stored)))) freeDatabases.push(stored)
  else await stored.remove()
}

/** Empties the database. Returns false if a test has changed more than rows, such as the structure. */
async function resetDatabase({ run, shape }: ReusableDatabase): Promise<boolean> {
  const rows = await run(FILLED_TABLES)
  const filled = rows.map(({ table }) => String(table))
  if (filled.length > 0) {
    // Disables triggers, because some of them prevent the deletion of rows.
    await run(`begin; set local session_replication_role = replica;
      ${filled.map((table) => `delete from ${table};`).join('')} commit`)
    await run(`vacuum ${filled.join(',')}`)
  }
  // Deletes statistics, because the planner treats a table that was analyzed or vacuumed differently from a new one.
  await run(`delete from pg_statistic where starelid in (select oid from pg_class where ${OURS})`)
  await run(`update pg_class set reltuples = -1, relpages = 0 where reltuples <> -1 and ${OUR_TABLES}`)
  // Discards the number of pending changes. Otherwise, the service of the next file would analyze empty tables. The
  // PostgreSQL server of this run does not count changes, because each of its sessions would report them later.
  await run('select pg_stat_force_next_flush()')
  await run('select pg_stat_reset()')
  return (await readShape(run)) === shape
}

const MIGRATIONS = `('kysely_migration', 'kysely_migration_lock')`
const OURS = `relnamespace = 'public'::regnamespace`
const OUR_TABLES = `${OURS} and relkind = 'r'`
/** The tables whose files are not empty. Vacuuming an empty table makes its file empty. */
const FILLED_TABLES = `select oid::regclass::text as "table" from pg_class
  where ${OUR_TABLES} and pg_relation_size(oid) > 0 and relname not in ${MIGRATIONS}`

async function readShape(run: RunStatements): Promise<string> {
  const [row] = await run(SHAPE_SQL)
  return String(row?.shape)
}

const SHAPE_SQL = `
  with ours as (select oid, relname, relrowsecurity, reloptions from pg_class where ${OURS})
  select md5(string_agg(line, ',' order by line)) as shape from (
    select concat_ws(' ', oid, relname, relrowsecurity, reloptions) as line from ours
    union all select concat_ws(' ', attrelid, attname, atttypid, attnotnull, atthasdef)
      from pg_attribute where attnum > 0 and attrelid in (select oid from ours)
    union all select concat_ws(' ', oid, convalidated) from pg_constraint where connamespace = 'public'::regnamespace
    union all select concat_ws(' ', oid, tgenabled) from pg_trigger
    union all select concat_ws(' ', oid, polname) from pg_policy
    union all select concat_ws(' ', oid, md5(prosrc)) from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', starelid, staattnum) from pg_statistic where starelid in (select oid from ours)
    union all select concat_ws(' ', setdatabase, setrole, setconfig) from pg_db_role_setting
    union all select name from kysely_migration
  ) lines`

async function createEmbedded(): Promise<ReusableDatabase> {
  const template = inject('pgliteTemplate')
  if (template === null) throw new Error('Only the runs on the embedded database have one to copy.')
  // The folder is next to the template, so that the run can delete both at its end. The process itself may be killed
  // without notice.
  const folder = mkdtempSync(path.join(path.dirname(template), 'copy-'))
  cpSync(template, folder, { recursive: true })
  const lite = await PGlite.create(folder)
  const database = await createEmbeddedDatabase(lite)
  const run: RunStatements = async (text) => {
    // Sends a statement that lifts the restriction to one organization. The only session may still have it from its
    // last use.
    await database.ping()
    return (await lite.exec(text)).at(-1)?.rows ?? []
  }
  return {
    shape: await readShape(run),
    run,
    open: async () => database,
    async remove() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function createPostgres(postgres: { adminUrl: string; templateName: string }): Promise<ReusableDatabase> {
  return openReusable(await createPostgresUrl(postgres))
}

async function openReusable(databaseUrl: string): Promise<ReusableDatabase> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const run: RunStatements = async (text) => [await client.query(text)].flat().at(-1)?.rows ?? []
  let opened: { bounds: Bounds; database: Database } | null = null
  const close = async () => opened?.database.close()
  return {
    shape: await readShape(run),
    run,
    async open({ databaseConnections, databaseStatementTimeoutMs }) {
      const bounds = { databaseConnections, databaseStatementTimeoutMs }
      if (opened === null || !isDeepStrictEqual(opened.bounds, bounds)) {
        await close()
        opened = { bounds, database: await openDatabase({ ...bounds, databaseUrl, dataDir: '' }) }
      }
      return opened.database
    },
    // The server deletes this database together with all others at the end of the run.
    async remove() {
      await Promise.all([close(), client.end()])
    },
  }
}

/** Returns the URL of a new database on the run's PostgreSQL server, for tests that start processes. */
export async function createPostgresUrl(postgres: { adminUrl: string; templateName: string }): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  const admin = new pg.Client(postgres.adminUrl)
  await admin.connect()
  // Copies files, because writing all pages to the log first takes three times as long.
  await admin.query(`create database "${name}" template "${postgres.templateName}" strategy file_copy`)
  await admin.end()
  const url = new URL(postgres.adminUrl)
  url.pathname = `/${name}`
  return url.href
}
