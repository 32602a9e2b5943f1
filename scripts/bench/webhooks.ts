import { type ChildProcess, fork } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { pino } from 'pino'
import { typeid } from 'typeid-js'
import { Agent } from 'undici'
import { createOrganization } from '../../server/domain/office/organizations/organizations.ts'
import { loadContract } from '../../server/platform/calls/contract.ts'
import { type Config, readConfig } from '../../server/platform/config/config.ts'
import { type Database, openDatabase } from '../../server/platform/database/database.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { resolveEncryptionKey } from '../../server/platform/encryption/encryption-key.ts'
import { createVault } from '../../server/platform/encryption/vault.ts'
import { createKey } from '../../server/platform/keys/keys.ts'
import { FailureLog } from '../../server/platform/problems/failure-log.ts'
import { Clock } from '../../server/platform/runtime/clock.ts'
import { claimDeliveries } from '../../server/platform/webhooks/claims.ts'
import { startDelivery } from '../../server/platform/webhooks/delivery.ts'
import { dispatchEvents } from '../../server/platform/webhooks/dispatcher.ts'
import { createWebhookOwners } from '../../server/platform/webhooks/owners.ts'
import { createWebhookSecret, getSecretEncryptionContext } from '../../server/platform/webhooks/webhook-secret.ts'
import { startPostgres } from '../processes/postgres.ts'

/**
 * Measures the speed, fairness, and steadiness of webhooks on a private PostgreSQL server with fsync: `npm run bench --
 * webhooks`. The service runs in this process, and the receivers run in another.
 */
const THIS_FILE = fileURLToPath(import.meta.url)

interface Arrival {
  id: string
  atMs: number
}

/** Returns the machine's time in milliseconds, with fractions. Times from different processes can be compared. */
function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}

// The receivers, which run in a separate process.

function runReceiver(): void {
  let arrivals: Arrival[] = []
  const server = createServer((request, response) => {
    const atMs = preciseNow()
    request.resume()
    if (request.url === '/hang') return
    arrivals.push({ id: `${request.url} ${request.headers['webhook-id']}`, atMs })
    response.writeHead(204).end()
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
  setInterval(() => {
    if (arrivals.length > 0) process.send?.({ arrivals })
    arrivals = []
  }, 50)
  process.on('disconnect', () => process.exit())
}

class Receivers {
  readonly url: string
  readonly arrivals = new Map<string, number>()
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
    child.on('message', ({ arrivals = [] }: { arrivals?: Arrival[] }) => {
      for (const { id, atMs } of arrivals) if (!this.arrivals.has(id)) this.arrivals.set(id, atMs)
    })
  }

  static async start(): Promise<Receivers> {
    const child = fork(THIS_FILE, ['receive'])
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new Receivers(child, port)
  }

  async until(count: number, forMs: number): Promise<void> {
    const deadline = Date.now() + forMs
    while (this.arrivals.size < count && Date.now() < deadline) await delay(20)
    if (this.arrivals.size < count) console.error(`only ${this.arrivals.size} of ${count} came in`)
  }

  stop(): void {
    this.#child.disconnect()
  }
}

// The measurements, which run in this process.

interface Bench {
  database: Database
  config: Config
  clock: Clock
  receivers: Receivers
  organizationId: string
  /** The ID of the API key on whose behalf the subscriptions act. */
  keyId: string
}

const contract = loadContract()

/** Inserts the subscriptions directly into the table, because a builder may not create this many. */
async function subscribe(bench: Bench, paths: string[]): Promise<string[]> {
  const { database, config, organizationId, keyId } = bench
  const now = new Date()
  const rows = paths.map((path) => {
    const id = typeid('whk').toString()
    return {
      organizationId,
      id,
      url: bench.receivers.url + path,
      eventTypes: ['vendor.created'],
      secret: createVault(config.encryptionKey).seal(
        createWebhookSecret(),
        getSecretEncryptionContext(organizationId, id),
      ),
      status: 'active',
      excludeOwnChanges: false,
      version: 1,
      createdBy: JSON.stringify({ type: 'key', id: keyId }),
      owner: JSON.stringify({ type: 'key', id: keyId }),
      createdAt: now,
      updatedAt: now,
    }
  })
  await database.statements.insertInto('webhooks').values(rows).execute()
  return rows.map(({ id }) => id)
}

function eventRow(organizationId: string) {
  const id = typeid('evt').toString()
  const object = { id: 'ven_bench', companyName: 'Lone Star Framing LLC', note: 'x'.repeat(900) }
  const payload = JSON.stringify({ id, type: 'vendor.created', organizationId, data: { object, previous: null } })
  return {
    organizationId,
    id,
    type: 'vendor.created',
    resourceId: 'ven_bench',
    actorId: null,
    payload,
    occurredAt: new Date(),
  }
}

async function recordEvents(bench: Bench, count: number): Promise<string[]> {
  const rows = Array.from({ length: count }, () => eventRow(bench.organizationId))
  await bench.database.transaction((trx) => trx.insertInto('events').values(rows).execute())
  return rows.map(({ id }) => id)
}

function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const formatMs = (value: number) => `${value.toFixed(1)} ms`

async function waitUntilCleared(bench: Bench): Promise<void> {
  await sql`truncate "deliveryAttempts", "deliveries", "webhooks", "events"`.execute(bench.database.statements)
  bench.receivers.arrivals.clear()
}

function startWorker({ database, config, clock }: Bench) {
  // Does nothing, because no subscription in this benchmark fails often enough to be disabled.
  const tellDisabled = async () => () => {}
  const log = pino({ level: 'error' })
  const failures = new FailureLog(database, log)
  return startDelivery({ database, config, clock, contract, log, failures, tellDisabled })
}

/**
 * Measures the time from the commit of an event to the first byte of the request at the receiver, at a steady rate of
 * 200 events per second.
 */
async function measureLatency(bench: Bench): Promise<string> {
  await subscribe(bench, ['/a'])
  const worker = startWorker(bench)
  const committed = new Map<string, number>()
  const [seconds, perSecond] = [15, 200]
  const started = performance.now()
  const writes: Promise<void>[] = []
  for (let i = 0; i < seconds * perSecond; i++) {
    const waitMs = started + (i * 1000) / perSecond - performance.now()
    if (waitMs > 0) await delay(waitMs)
    writes.push(
      recordEvents(bench, 1).then(([id = '']) => {
        committed.set(id, preciseNow())
        worker.wake()
      }),
    )
  }
  await Promise.all(writes)
  await bench.receivers.until(committed.size, 10_000)
  await worker.stop()
  // Ignores the first second, which is the warm-up.
  const waits = [...committed]
    .slice(perSecond)
    .map(([id, atMs]) => (bench.receivers.arrivals.get(`/a ${id}`) ?? Number.NaN) - atMs)
  return `commit to first byte at 200 events a second: p50 ${formatMs(percentile(waits, 0.5))}, p95 ${formatMs(percentile(waits, 0.95))}, p99 ${formatMs(percentile(waits, 0.99))} (goal: p50 < 15, p99 < 100)`
}

/**
 * Measures how many deliveries per second one process makes from a backlog. Compares it with a minimal loop that
 * claims, signs, and posts deliveries.
 */
async function measureThroughput(bench: Bench): Promise<string> {
  const [events, subscriptions] = [3000, 10]
  const run = async (work: () => Promise<() => Promise<void>>) => {
    await waitUntilCleared(bench)
    await subscribe(
      bench,
      Array.from({ length: subscriptions }, (_, i) => `/${i}`),
    )
    for (let i = 0; i < events / 500; i++) await recordEvents(bench, 500)
    const started = performance.now()
    const stop = await work()
    await bench.receivers.until(events * subscriptions, 120_000)
    const seconds = (performance.now() - started) / 1000
    await stop()
    return (events * subscriptions) / seconds
  }
  const ours = await run(async () => {
    const worker = startWorker(bench)
    worker.wake()
    return () => worker.stop()
  })
  const bare = await run(() => startBareLoop(bench))
  return `deliveries a second of one process: ${ours.toFixed(0)}; a bare loop: ${bare.toFixed(0)}; ratio ${(ours / bare).toFixed(2)} (goal: 2000, 0.5)`
}

/** Starts a minimal delivery loop without limits, retries, and records of attempts. */
async function startBareLoop(bench: Bench): Promise<() => Promise<void>> {
  const db = bench.database.statements
  await sql`insert into "deliveries" ("organizationId", "id", "webhookId", "eventId", "eventType", "sequence", "nextAttemptAt", "createdAt", "updatedAt")
    select e."organizationId", 'dlv_' || w."id" || e."id", w."id", e."id", e."type", e."recordedOrder", now(), now(), now() from "events" e cross join "webhooks" w`.execute(
    db,
  )
  const agent = new Agent({ pipelining: 1 })
  const key = randomBytes(24)
  let isStopped = false
  const worker = async () => {
    while (!isStopped) {
      const { rows } = await sql<{ id: string; url: string; eventId: string; payload: string }>`
        with picked as (select "organizationId", "id" from "deliveries" where "status" = 'pending' and "claimedUntil" is null limit 100 for update skip locked),
        claimed as (update "deliveries" d set "claimedUntil" = now() + interval '20 s' from picked p where d."organizationId" = p."organizationId" and d."id" = p."id"
          returning d."organizationId", d."id", d."webhookId", d."eventId")
        select c."id", w."url", c."eventId", e."payload"::text as "payload" from claimed c
        join "webhooks" w on w."organizationId" = c."organizationId" and w."id" = c."webhookId"
        join "events" e on e."organizationId" = c."organizationId" and e."id" = c."eventId"`.execute(db)
      if (rows.length === 0) return
      await Promise.all(
        rows.map(async ({ url, eventId, payload }) => {
          const timestamp = Math.floor(Date.now() / 1000)
          const signed = `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.${payload}`).digest('base64')}`
          const { origin, pathname } = new URL(url)
          const headers = { 'webhook-id': eventId, 'webhook-timestamp': String(timestamp), 'webhook-signature': signed }
          const { body } = await agent.request({ origin, path: pathname, method: 'POST', headers, body: payload })
          await body.dump()
        }),
      )
      await sql`update "deliveries" set "status" = 'succeeded', "claimedUntil" = null where "organizationId" = ${bench.organizationId} and "id" = any(${rows.map(({ id }) => id)})`.execute(
        db,
      )
    }
  }
  const workers = Array.from({ length: 4 }, worker)
  return async () => {
    isStopped = true
    await Promise.all(workers)
    await agent.close()
  }
}

/** Measures how long 1,000 receivers wait for an event while 200 other receivers do not respond until the timeout. */
async function measureIsolation(bench: Bench): Promise<string> {
  await waitUntilCleared(bench)
  await subscribe(
    bench,
    Array.from({ length: 200 }, () => '/hang'),
  )
  await subscribe(
    bench,
    Array.from({ length: 1000 }, (_, i) => `/${i}`),
  )
  const worker = startWorker(bench)
  const committed = new Map<string, number>()
  for (let i = 0; i < 30; i++) {
    const [id = ''] = await recordEvents(bench, 1)
    committed.set(id, preciseNow())
    worker.wake()
    await delay(1000)
  }
  await bench.receivers.until(30_000, 30_000)
  const waits = [...bench.receivers.arrivals].map(
    ([name, atMs]) => atMs - (committed.get(name.split(' ')[1] ?? '') ?? Number.NaN),
  )
  await worker.stop()
  return `1000 healthy receivers beside 200 that hang: p50 ${formatMs(percentile(waits, 0.5))}, p95 ${formatMs(percentile(waits, 0.95))}, p99 ${formatMs(percentile(waits, 0.99))} of ${waits.length} (goal: p95 < 1000)`
}

/**
 * Measures how long one builder waits for its events while 700 receivers of another builder do not respond until the
 * timeout.
 */
async function measureNeighbors(bench: Bench): Promise<string> {
  await waitUntilCleared(bench)
  const other = { ...bench, ...(await createBuilder(bench)) }
  await subscribe(
    bench,
    Array.from({ length: 700 }, () => '/hang'),
  )
  await subscribe(
    other,
    Array.from({ length: 10 }, (_, i) => `/${i}`),
  )
  const worker = startWorker(bench)
  const committed = new Map<string, number>()
  for (let i = 0; i < 150; i++) {
    if (i % 5 === 0) await recordEvents(bench, 1)
    const [id = ''] = await recordEvents(other, 1)
    committed.set(id, preciseNow())
    worker.wake()
    await delay(200)
  }
  await bench.receivers.until(1500, 15_000)
  const waits = [...bench.receivers.arrivals].map(
    ([name, atMs]) => atMs - (committed.get(name.split(' ')[1] ?? '') ?? Number.NaN),
  )
  await worker.stop()
  return `a builder beside another one with 700 receivers that hang: p50 ${formatMs(percentile(waits, 0.5))}, p95 ${formatMs(percentile(waits, 0.95))}, p99 ${formatMs(percentile(waits, 0.99))} of ${waits.length} (goal: p95 < 250)`
}

/** Measures the cost of claiming deliveries from a table with ten thousand deliveries and from one with a million. */
async function measureClaimCost(bench: Bench): Promise<string> {
  const cost: number[] = []
  for (const rows of [10_000, 1_000_000]) {
    await waitUntilCleared(bench)
    const ids = await subscribe(
      bench,
      Array.from({ length: 20 }, (_, i) => `/${i}`),
    )
    await recordEvents(bench, 1)
    // The newest two thousand deliveries are due. Their IDs and events are in chronological order, like real ones. Runs
    // in a transaction, because such a large statement must not use the connections for requests.
    await bench.database.transaction((trx) =>
      sql`insert into "deliveries" ("organizationId", "id", "webhookId", "eventId", "eventType", "sequence", "status", "nextAttemptAt", "createdAt", "updatedAt")
      select ${bench.organizationId}, 'dlv_' || lpad(n::text, 10, '0'), (${ids}::text[])[1 + n % 20], 'evt_' || lpad(n::text, 10, '0'), 'vendor.created', n,
        case when n > ${rows} - 2000 then 'pending' else 'succeeded' end, now() - interval '1 minute', now(), now() from generate_series(1, ${rows}) n`.execute(
        trx,
      ),
    )

    await bench.database.transaction((trx) => sql`analyze "deliveries"`.execute(trx))
    const { organizationId } = bench
    const owners = createWebhookOwners(contract)
    const times: number[] = []
    for (let i = 0; i < 45; i++) {
      const started = performance.now()
      // In each round, one more delivery is allowed for each subscription.
      const turns = ids.map((webhookId) => ({ organizationId, webhookId, most: 1 + i }))
      await claimDeliveries({ ...bench, owners }, turns)
      times.push(performance.now() - started)
    }
    cost.push(percentile(times.slice(10), 0.5))
  }
  const [small = 0, large = 0] = cost
  return `a claim before ten thousand deliveries: ${formatMs(small)}; before a million: ${formatMs(large)}; ratio ${(large / small).toFixed(2)} (goal: 1.2)`
}

/** Records many events in one transaction instead of one by one. */
async function recordMany({ database, organizationId }: Bench, events: number, type: string): Promise<void> {
  await database.transaction(async (trx) => {
    await sql`insert into "events" ("organizationId", "id", "type", "resourceId", "payload", "occurredAt")
      select ${organizationId}, 'evt_' || lpad(n::text, 10, '0'), ${type}, 'ven_bench', '{}', now() from generate_series(1, ${events}) n`.execute(
      trx,
    )
    await sql`analyze "events"`.execute(trx)
  })
}

/**
 * Measures how many events per second get their numbers and deliveries, from a backlog of twenty thousand events and
 * from one of 200,000.
 */
async function measureBacklog(bench: Bench): Promise<string> {
  const { database, config, clock } = bench
  const owners = createWebhookOwners(contract)
  const rate = async (events: number, isSubscribed: boolean, type: string) => {
    await waitUntilCleared(bench)
    if (isSubscribed) await subscribe(bench, ['/a'])
    await recordMany(bench, events, type)
    const started = performance.now()
    while ((await dispatchEvents({ database, config, clock, owners })).hasMore);
    return (events / (performance.now() - started)) * 1000
  }
  const lines: string[] = []
  for (const [who, isSubscribed, type] of [
    ['without a subscription', false, 'vendor.created'],
    ['whose subscription wants others', true, 'vendor.updated'],
    ['whose subscription wants them all', true, 'vendor.created'],
  ] as const) {
    const [small, large] = [await rate(20_000, isSubscribed, type), await rate(200_000, isSubscribed, type)]
    lines.push(`${who} ${small.toFixed(0)} and ${large.toFixed(0)}, ratio ${(large / small).toFixed(2)}`)
  }
  return `events dispatched a second out of a backlog of 20,000 and of 200,000, of a builder ${lines.join('; ')} (goal: 20000)`
}

/**
 * Measures dispatching during a backup, first for a few events and then for a hundred thousand. Because of the backup's
 * snapshot, PostgreSQL cannot remove the rows that are dispatched during the backup.
 */
async function measureDuringBackup(bench: Bench): Promise<string> {
  await waitUntilCleared(bench)
  await subscribe(bench, ['/a'])
  const { database, config, clock } = bench
  const parts = { database, config, clock, owners: createWebhookOwners(contract) }
  const defaults = async () => {
    const times: number[] = []
    const started = performance.now()
    while (performance.now() - started < 6000) {
      await recordEvents(bench, 5)
      const started = performance.now()
      await dispatchEvents(parts)
      times.push(performance.now() - started)
    }
    return percentile(times, 0.5)
  }
  const [few, many] = await database.transaction(async (trx) => {
    await sql`set transaction isolation level repeatable read`.execute(trx)
    await sql`select from "events" limit 1`.execute(trx)
    const few = await defaults()
    await recordMany(bench, 100_000, 'vendor.updated')
    while ((await dispatchEvents(parts)).hasMore);
    return [few, await defaults()]
  })
  return `a dispatch beside a backup: ${formatMs(few)}; after a hundred thousand events: ${formatMs(many)}; ratio ${(many / few).toFixed(2)} (goal: 3)`
}

const PARTS = {
  latency: measureLatency,
  throughput: measureThroughput,
  isolation: measureIsolation,
  neighbors: measureNeighbors,
  size: measureClaimCost,
  backlog: measureBacklog,
  backup: measureDuringBackup,
}
export const WEBHOOK_PARTS: readonly string[] = Object.keys(PARTS)

/** Runs all parts or those with these names. Returns one line for each part. */
export async function measureWebhooks(requested: readonly string[]): Promise<string[]> {
  const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB' })
  if (postgres === null) return []
  const lines: string[] = []
  const provided = readConfig({
    DATABASE_URL: await postgres.database(),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
  })
  // Uses a long statement timeout, because setting up the measurements takes longer than a request may take.
  const database = await openDatabase({ ...provided, databaseStatementTimeoutMs: 600_000 })
  const clock = new Clock()
  await migrate(database)
  const { config } = await resolveEncryptionKey(provided, database)
  const builder = await createBuilder({ database, clock })
  const bench: Bench = { database, config, clock, receivers: await Receivers.start(), ...builder }
  for (const [name, measure] of Object.entries(PARTS)) {
    if (requested.length > 0 && !requested.includes(name)) continue
    const line = await measure(bench)
    process.stderr.write(`${line}\n`)
    lines.push(line)
  }
  bench.receivers.stop()
  await database.close()
  await postgres.stop()
  return lines
}

/** Creates a builder and an API key with every permission. */
async function createBuilder({ database, clock }: Pick<Bench, 'database' | 'clock'>) {
  const { organization } = await createOrganization(database, clock, {
    name: 'Harrow & Finch Homes',
    ownerEmail: 'priya@harrowfinch.example.com',
    ownerName: 'Priya Harrow',
    most: 10,
  })
  const key = await createKey(database, clock, { organizationId: organization.id, name: 'Accounting sync' })
  return { organizationId: organization.id, keyId: key.id }
}

if (process.argv[1] === THIS_FILE && process.argv[2] === 'receive') runReceiver()
