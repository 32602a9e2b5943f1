import { randomBytes } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../../server/platform/database/database.ts'
import { listDistributionCommands } from '../../server/platform/database/distribution.ts'
import { migrate } from '../../server/platform/database/migrate.ts'

/** A Citus cluster on which tests create their databases. */
export interface CitusCluster {
  /** The URL of a database on the coordinator in which the extension is installed and the workers are registered. */
  url: string
  /** The prefix in the names of all databases that this run creates. */
  prefix: string
}

/** The suffix in the name of the database that all others of a run are copied from. */
const TEMPLATE = 'template'

/**
 * The number of shards, one on each of two workers. A short test spends most of its time on creating and reading
 * shards.
 */
const SHARDS = 2

interface CitusNode {
  host: string
  port: number
  isCoordinator: boolean
}

/**
 * Creates a database on all nodes, and migrates and distributes it as an operator would. The databases of the tests are
 * copies of it, because distributing takes much longer than copying.
 */
export async function createCitusTemplate({ url, prefix }: CitusCluster): Promise<void> {
  const name = `${prefix}${TEMPLATE}`
  const nodes = await listNodes(url)
  for (const node of nodes) {
    await runOn(urlOf(url, node, 'postgres'), [`create database "${name}"`])
    await runOn(urlOf(url, node, name), ['create extension citus'])
  }
  const coordinator = urlOf(url, undefined, name)
  const [own] = nodes.filter((node) => node.isCoordinator)
  if (own === undefined) throw new Error('CITUS_URL must be a coordinator with citus_set_coordinator_host.')
  await runOn(coordinator, [
    `select citus_set_coordinator_host('${own.host}', ${own.port})`,
    ...nodes.filter((node) => !node.isCoordinator).map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  ])
  await distribute(coordinator)
  // PostgreSQL copies only databases without sessions. Citus keeps sessions of its own in each database.
  for (const node of nodes)
    await runOn(urlOf(url, node, 'postgres'), [
      `alter database "${name}" with allow_connections false`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    ])
}

/**
 * Copies the template on all nodes. Returns the URL of the copy. Copying files is faster than writing all pages to the
 * log.
 */
export async function createCitusDatabase({ url, prefix }: CitusCluster): Promise<string> {
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  for (const node of await listNodes(url))
    await runOn(urlOf(url, node, 'postgres'), [
      `create database "${name}" template "${prefix}${TEMPLATE}" strategy file_copy`,
    ])
  return urlOf(url, undefined, name)
}

async function distribute(databaseUrl: string): Promise<void> {
  const database = await openDatabase({
    databaseUrl,
    databaseConnections: 4,
    dataDir: '',
    databaseStatementTimeoutMs: 0,
  })
  try {
    await migrate(database)
    const commands = await listDistributionCommands(database.statements)
    await database.transaction(async (trx) => {
      for (const command of [`set local citus.shard_count = ${SHARDS}`, ...commands])
        await trx.executeQuery(CompiledQuery.raw(command))
    })
  } finally {
    await database.close()
  }
}

/** Deletes the databases whose names start with the prefix. */
export async function dropCitusDatabases({ url, prefix }: CitusCluster): Promise<void> {
  for (const node of await listNodes(url)) {
    const admin = urlOf(url, node, 'postgres')
    const rows = await runOn(admin, [`select datname from pg_database where starts_with(datname, '${prefix}')`])
    for (const { datname } of rows) await runOn(admin, [`drop database "${datname}" with (force)`])
  }
}

async function listNodes(url: string): Promise<CitusNode[]> {
  const rows = await runOn(url, [
    `select nodename as "host", nodeport as "port", groupid = 0 as "isCoordinator" from pg_dist_node
     where noderole = 'primary' order by groupid`,
  ])
  return rows.map(({ host, port, isCoordinator }) => ({
    ...{ host: String(host), port: Number(port), isCoordinator: isCoordinator === true },
  }))
}

function urlOf(url: string, node: CitusNode | undefined, database: string): string {
  const other = new URL(url)
  if (node !== undefined && !node.isCoordinator) {
    other.hostname = node.host
    other.port = String(node.port)
  }
  other.pathname = `/${database}`
  return other.href
}

/** Runs statements one after another. Returns the rows of the last statement. */
async function runOn(url: string, statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    // Turns off the propagation of databases, because the tests create each database on each node themselves.
    await client.query('set citus.enable_create_database_propagation = off')
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}
