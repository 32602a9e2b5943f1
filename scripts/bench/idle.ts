import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createOrganization } from '../../server/domain/office/organizations/organizations.ts'
import { openDatabase } from '../../server/platform/database/database.ts'
import { Clock } from '../../server/platform/runtime/clock.ts'
import { startCitus } from '../processes/citus.ts'
import { startPostgres } from '../processes/postgres.ts'
import { createUnlimitedEnvironment, startService } from '../processes/service.ts'
import { readCpuMs } from './processor-time.ts'

/**
 * Measures what a process costs while no one uses it: `npm run bench -- idle`. The database has many builders, because
 * the jobs of the service look for due work of all builders. Also runs on a private Citus cluster if the PostgreSQL
 * binaries have the extension.
 */
const BUILDERS = 200
const SECONDS = 60
/** The time to wait before the measurement, while the service processes the new builders. */
const SETTLE_MS = 30_000
/** The maximum number of statements per second that a process sends to all shards. */
const MOST_TO_ALL_SHARDS = 1

/** What a process does in a second. */
interface IdleLoad {
  transactions: number
  /** Statements that Citus sends to all shards of a table. */
  toAllShards: number
  /** The processor time of the service, in milliseconds. */
  cpuMs: number
}

export async function measureIdle(): Promise<string[]> {
  const lines = [
    '| idle process | transactions/s | statements to all shards/s | CPU of the service, ms/s | wanted | |',
    '| --- | ---: | ---: | ---: | --- | --- |',
  ]
  const postgres = await startPostgres()
  if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
  const plain = await measureIdleOn(await postgres.database('idle'), false)
  await postgres.stop()
  lines.push(`| PostgreSQL, ${BUILDERS} builders | ${format(plain.transactions)} | | ${format(plain.cpuMs)} | | |`)

  const citus = await startCitus({ 'citus.enable_stat_counters': 'on' })
  if (citus === null) return lines
  const distributed = await measureIdleOn(citus.url, true)
  const spread = await countBuildersByWorker(citus.url)
  await citus.stop()
  const isKept = distributed.toAllShards <= MOST_TO_ALL_SHARDS
  lines.push(
    `| Citus, ${BUILDERS} builders (${spread.join(' and ')} on a worker) | ${format(distributed.transactions)} | ${format(distributed.toAllShards)} | ${format(distributed.cpuMs)} | ≤ ${MOST_TO_ALL_SHARDS} to all shards | ${isKept ? 'holds' : 'MISSED'} |`,
  )
  return lines
}

async function measureIdleOn(databaseUrl: string, isCitus: boolean): Promise<IdleLoad> {
  const environment = createUnlimitedEnvironment({ DATABASE_URL: databaseUrl })
  const service = await startService(environment)
  await createBuilders(databaseUrl)
  await delay(SETTLE_MS)
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const before = await readCounters(client, isCitus)
  const cpuBefore = readCpuMs(service.pid)
  await delay(SECONDS * 1000)
  const cpuMs = readCpuMs(service.pid) - cpuBefore
  const after = await readCounters(client, isCitus)
  await client.end()
  await service.stop()
  return {
    transactions: (after.transactions - before.transactions) / SECONDS,
    toAllShards: (after.toAllShards - before.toAllShards) / SECONDS,
    cpuMs: cpuMs / SECONDS,
  }
}

async function createBuilders(databaseUrl: string): Promise<void> {
  const database = await openDatabase({
    databaseUrl,
    databaseConnections: 4,
    dataDir: '',
    databaseStatementTimeoutMs: 0,
  })
  const clock = new Clock()
  try {
    for (let i = 0; i < BUILDERS; i++) {
      await createOrganization(database, clock, {
        name: `Builder ${i}`,
        ownerEmail: `owner${i}@example.com`,
        ownerName: 'Owner',
        most: BUILDERS,
      })
    }
  } finally {
    await database.close()
  }
}

async function readCounters(client: pg.Client, isCitus: boolean): Promise<Omit<IdleLoad, 'cpuMs'>> {
  const { rows } = await client.query<{ transactions: number; toAllShards: number }>(
    `select (xact_commit + xact_rollback)::int as "transactions",
       ${isCitus ? `(select query_execution_multi_shard::int from citus_stat_counters where oid = datid)` : '0'} as "toAllShards"
     from pg_stat_database where datname = current_database()`,
  )
  const [counters] = rows
  if (counters === undefined) throw new Error('Expected PostgreSQL to have statistics for this database.')
  return counters
}

/** Returns how many builders each worker stores. */
async function countBuildersByWorker(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<{ builders: number }>(
    `select count(*)::int as "builders" from "organizations"
     join pg_dist_placement on shardid = get_shard_id_for_distribution_column('users', "organizations"."id")
     group by groupid order by groupid`,
  )
  await client.end()
  return rows.map(({ builders }) => builders)
}

function format(count: number): string {
  return count.toFixed(2)
}
