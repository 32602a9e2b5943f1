import { existsSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { findBinaries, type PrivatePostgres, startPostgres } from './postgres.ts'
import { type Environment, runOperatorCommand } from './service.ts'

/** A private Citus cluster on this machine: a coordinator and two workers. */
export interface PrivateCitus {
  readonly coordinator: PrivatePostgres
  readonly workers: readonly PrivatePostgres[]
  /** The URL of the database on the coordinator. */
  readonly url: string
  stop(): Promise<void>
}

/** The settings of all nodes. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_prepared_transactions: '400',
  'citus.node_conninfo': 'sslmode=disable',
  // Uses few shards, because the default of 32 shards for each table would take minutes to create on a small machine.
  'citus.shard_count': '4',
}

/**
 * Starts a cluster and distributes an empty database, as an operator would. If the PostgreSQL binaries have no Citus
 * extension, prints a conspicuous line and returns null.
 *
 * @param settings further settings of all nodes
 */
export async function startCitus(settings: Readonly<Record<string, string>> = {}): Promise<PrivateCitus | null> {
  const binaries = findBinaries()
  if (binaries === null || !hasCitus(binaries)) {
    console.error('### The PostgreSQL binaries (PATH, PG_BIN) have no Citus extension: this is LEFT OUT. ###')
    return null
  }
  const nodes: PrivatePostgres[] = []
  const stop = async () => {
    for (const node of nodes) await node.stop()
  }
  try {
    for (let i = 0; i < 3; i++) {
      const node = await startPostgres({ ...SETTINGS, ...settings })
      if (node === null) throw new Error('Expected the binaries to start a server.')
      nodes.push(node)
      await node.database()
      await runOnNode(node, ['create extension citus'])
    }
    const [coordinator, ...workers] = nodes
    if (coordinator === undefined) throw new Error('Expected a coordinator.')
    await runOnNode(coordinator, [
      `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
      ...workers.map(({ port }) => `select citus_add_node('127.0.0.1', ${port})`),
    ])
    const url = await coordinator.database()
    await distribute(coordinator, { DATABASE_URL: url })
    return { coordinator, workers, url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function distribute(coordinator: PrivatePostgres, environment: Environment): Promise<void> {
  await runOperatorCommand(environment, 'migrate')
  const { commands } = await runOperatorCommand<{ commands: string[] }>(environment, 'distribution')
  await runOnNode(coordinator, ['begin', ...commands, 'commit'])
}

/** Runs statements on the database of a node. Returns the rows of the last statement. */
export async function runOnNode(
  { port }: PrivatePostgres,
  statements: readonly string[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'plumbline', database: 'plumbline' })
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

function hasCitus(binaries: string): boolean {
  return ['../lib/citus.so', '../lib/postgresql/citus.so'].some((file) => existsSync(path.join(binaries, file)))
}
