import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { Ledger } from '../crash/ledger.ts'
import { startHaproxy } from '../processes/haproxy.ts'
import { type PrivatePostgres, startPostgres } from '../processes/postgres.ts'
import { startReceiver } from '../processes/receiver.ts'
import {
  createBuilder,
  createUnlimitedEnvironment,
  findFreePort,
  type Service,
  startService,
} from '../processes/service.ts'

export type Check = (held: boolean, what: string) => void

/** The maximum time in milliseconds until a process serves requests again after a replica is promoted. */
const MAX_RECOVERY_MS = 5000

/** The maximum time in milliseconds by which acknowledgments of commits may arrive out of order. */
const MAX_REORDER_MS = 100

/** The time after which an operator promotes a replica to replace a failed primary, in milliseconds. */
const PROMOTION_DELAY_MS = 1500

/** The time after which Patroni, by default, replaces a primary that has stopped responding, in milliseconds. */
const LEASE_MS = 30_000

export interface FailoverOptions {
  /** Whether the primary acknowledges a transaction only after the replica has received it. */
  synchronous: boolean
  /**
   * Whether the primary only stops responding instead of being killed. Its connections then stay open without any
   * response.
   */
  silent: boolean
}

/**
 * Runs two processes behind HAProxy on a PostgreSQL server with a replica. Under load, kills the primary with all its
 * processes and promotes the replica.
 */
export async function testFailover(check: Check, { synchronous, silent }: FailoverOptions): Promise<void> {
  const primary = await startPostgres()
  if (primary === null) return
  await primary.database()
  const replica = await startPostgres({}, primary)
  if (replica === null) return primary.stop()
  if (synchronous) {
    await runQuery(primary, `alter system set synchronous_standby_names = '*'`)
    await runQuery(primary, 'select pg_reload_conf()')
  }
  const ports = [await findFreePort(), await findFreePort()]
  const balancer = await startHaproxy(ports, [primary.port, replica.port])
  if (balancer === null) return Promise.all([primary.stop(), replica.stop()]).then(() => {})
  const DATABASE_URL = `postgres://plumbline@127.0.0.1:${balancer.postgresPort}/plumbline`
  const environment = {
    ...createUnlimitedEnvironment({ DATABASE_URL }),
    WEBHOOK_RETRY_SCHEDULE: '0,1,1,2,2,3,3,5,5,5,5,5',
  }
  const services: Service[] = []
  for (const port of ports) services.push(await startService({ ...environment, PORT: String(port) }))
  const { key } = await createBuilder({ ...environment, DATABASE_URL: await primary.database() })
  const receiver = await startReceiver()
  const ledger = new Ledger(key)
  await ledger.subscribe(balancer.url, receiver.url)
  const load = ledger.write(balancer.url, 8)
  await ledger.untilMore(300)
  if (!synchronous) {
    // Delays the replica, as a busy network would.
    await stopSending(primary)
    await ledger.untilMore(20)
  }
  if (silent) stopAll(primary)
  else await killAll(primary)
  const diedAtMs = Date.now()
  const before = new Map(ledger.acknowledgedAt)
  console.log(`       ${before.size} writes were acknowledged when the primary died`)
  await delay(silent ? LEASE_MS : PROMOTION_DELAY_MS)
  await runQuery(replica, 'select pg_promote(true, 30)')
  const promoted = performance.now()
  const recovered = await Promise.all(services.map((service) => measureFirstWrite(service, key, promoted)))
  check(
    recovered.every((ms) => ms < MAX_RECOVERY_MS),
    `the processes write again ${recovered.map((ms) => `${Math.round(ms)} ms`).join(' and ')} after the promotion`,
  )
  check(
    services.every((service) => service.isRunning),
    'they are the same processes as before',
  )
  await ledger.untilMore(200)
  check(
    true,
    `through the load balancer too, where ${Date.now() - diedAtMs} ms after the death 200 more are acknowledged`,
  )
  ledger.stop()
  await load
  const odd = [...ledger.answers].filter(([answer]) => !/^(20[01]|503 unavailable|502 unavailable)$/.test(answer))
  check(
    odd.length === 0,
    `answers under load: ${[...ledger.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
  )
  await ledger.repeatUnanswered(balancer.url)
  const found = await ledger.compare(balancer.url)
  const lost = found.lost.map((text) => text.split(' ')[0] ?? '')
  if (synchronous)
    check(lost.length === 0, `${before.size} acknowledged before the death are there, ${lost.length} are lost`)
  else {
    const atMs = (ids: Iterable<string>) => [...ids].map((id) => before.get(id) ?? 0).filter((ms) => ms > 0)
    const firstLost = Math.min(...atMs(lost))
    const lastKept = Math.max(...atMs([...before.keys()].filter((id) => !lost.includes(id))))
    check(
      lost.length > 0 && lastKept - firstLost < MAX_REORDER_MS,
      `exactly the tail is lost: ${lost.length} writes of the last ${diedAtMs - firstLost} ms, and none before: ${lost.slice(0, 3).join(', ')} …`,
    )
  }
  check(found.doubled.length === 0, `${found.repeated} repeats made nothing twice, ${found.doubled.length} did`)
  check(
    found.halves.length === 0,
    `${found.vendors} vendors and ${found.events} events belong together, ${found.halves.length} do not ${found.halves.slice(0, 3).join('; ')}`,
  )
  const missing = await ledger.undelivered(balancer.url, receiver)
  check(missing.length === 0, `every event was delivered, ${missing.length} were not`)
  await Promise.all(services.map((service) => service.stop()))
  await balancer.stop()
  await receiver.close()
  await replica.stop()
  if (silent) await killAll(primary)
  await primary.stop()
}

/** Runs a statement on the drill's database. */
export async function runQuery(postgres: PrivatePostgres, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ host: '127.0.0.1', port: postgres.port, user: 'plumbline', database: 'plumbline' })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

/**
 * Returns the time in milliseconds until a process acknowledges a write. Sends requests continuously and directly to
 * the process.
 */
async function measureFirstWrite({ url }: Service, key: string, started: number): Promise<number> {
  for (;;) {
    const answer = await fetch(`${url}/api/ext/vendors`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ companyName: `Vendor ${Math.random()}` }),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null)
    const text = await answer?.text()
    const ms = performance.now() - started
    if (answer?.status === 201) return ms
    if (answer !== null && answer.status < 500) throw new Error(`A write returned ${answer.status}: ${text}`)
    if (ms > 60_000) return ms
    await delay(20)
  }
}

async function stopSending(primary: PrivatePostgres): Promise<void> {
  const { rows } = await runQuery(primary, 'select pid from pg_stat_replication')
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
}

/** Kills all processes of a PostgreSQL server at the same moment, like a power failure. */
export async function killAll(postgres: PrivatePostgres): Promise<void> {
  const children = stopAll(postgres)
  for (const child of children) process.kill(child, 'SIGKILL')
  await postgres.kill()
}

/** Stops all processes of a PostgreSQL server, like a disk that no longer responds. Returns their number. */
function stopAll({ pid }: PrivatePostgres): number[] {
  process.kill(pid, 'SIGSTOP')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  for (const child of children) process.kill(child, 'SIGSTOP')
  return children
}
