/**
 * Checks what happens if the service, its database, or both are killed under load. Every scenario starts its own
 * service with its own PostgreSQL server or data folder, and prints which checks passed and failed.
 *
 *   npm run test:crash                       all scenarios
 *   npm run test:crash -- outage drain       those whose names start like this
 *   npm run test:crash -- kill --kills 200   with more rounds of killing (20 by default)
 *   npm run test:crash -- --kills 100        only the deliveries, with that many kills
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Command } from 'commander'
import { parseCount } from './count-option.ts'
import { Cascades } from './crash/cascades.ts'
import { armKill, disarmKill, KILL_POINTS, testKillPoint } from './crash/kill-points.ts'
import { Ledger } from './crash/ledger.ts'
import { Payments } from './crash/payments.ts'
import { type PrivatePostgres, startPostgres } from './processes/postgres.ts'
import { startPostgresProxy } from './processes/postgres-proxy.ts'
import { type Receiver, startReceiver } from './processes/receiver.ts'
import {
  createBuilder,
  createUnlimitedEnvironment,
  type Environment,
  runOperatorCommand,
  type Service,
  startService,
} from './processes/service.ts'

const program = new Command('test:crash')
  .description('What happens when things die: the service, its database, or both under load.')
  .argument('[names...]', 'only the scenarios whose names begin with one of these words')
  .option('--kills <number>', 'how often to kill (default: 20); without names only the deliveries', parseCount)
  .parse()
const { kills } = program.opts<{ kills?: number }>()
const ROUNDS = kills ?? 20

/** Retries follow within seconds, so that a round does not take a day. */
const QUICK_RETRIES = { WEBHOOK_RETRY_SCHEDULE: '0,1,1,2,2,3,3,5,5,5,5,5,5,5,5,5', WEBHOOK_PROBE_MAX_SECONDS: '2' }

const scenarios: { name: string; run(check: Check): Promise<void> }[] = [
  {
    name: 'kill the service on PostgreSQL',
    run: (check) => withPostgres((postgres) => testKills(check, { DATABASE_URL: postgres.url })),
  },
  {
    name: 'kill the service on the embedded database',
    run: (check) => withDataFolder((folder) => testKills(check, { DATA_DIR: folder })),
  },
  {
    name: 'deliveries, the service killed at each point of an event',
    run: (check) => withPostgres((postgres) => testKillsAtPoints(check, postgres)),
  },
  {
    name: 'deliveries, the service and PostgreSQL killed at random',
    run: (check) => withPostgres((postgres) => testKillsDuringDelivery(check, postgres)),
  },
  {
    name: 'cascades, the service killed at random on PostgreSQL',
    run: (check) => withPostgres((postgres) => testKillsDuring(check, { DATABASE_URL: postgres.url }, CASCADES)),
  },
  {
    name: 'cascades, the service killed at random on the embedded database',
    run: (check) => withDataFolder((folder) => testKillsDuring(check, { DATA_DIR: folder }, CASCADES)),
  },
  {
    name: 'payments, the service killed at random on PostgreSQL',
    run: (check) => withPostgres((postgres) => testKillsDuring(check, { DATABASE_URL: postgres.url }, PAYMENTS)),
  },
  {
    name: 'payments, the service killed at random on the embedded database',
    run: (check) => withDataFolder((folder) => testKillsDuring(check, { DATA_DIR: folder }, PAYMENTS)),
  },
  {
    name: 'outage of PostgreSQL, shut down',
    run: (check) => withPostgres((postgres) => testOutage(check, postgres, () => postgres.pause())),
  },
  {
    name: 'outage of PostgreSQL, killed',
    run: (check) => withPostgres((postgres) => testOutage(check, postgres, () => postgres.kill())),
  },
  {
    name: 'drain on PostgreSQL',
    run: (check) => withPostgres((postgres) => testDrain(check, { DATABASE_URL: postgres.url })),
  },
  {
    name: 'drain on the embedded database',
    run: (check) => withDataFolder((folder) => testDrain(check, { DATA_DIR: folder })),
  },
  {
    name: 'limits of two processes on one PostgreSQL',
    run: (check) => withPostgres((postgres) => testLimits(check, postgres.url)),
  },
  {
    name: 'start of three processes on an empty PostgreSQL',
    run: (check) => withPostgres((postgres) => testParallelStart(check, postgres.url)),
  },
]

// If the run is interrupted, the process must still exit normally, because this ends all processes that it started.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1))

type Check = (held: boolean, what: string) => void

async function runScenarios(): Promise<void> {
  const requested = program.args.length === 0 && kills !== undefined ? ['deliveries'] : program.args
  let [passed, failed] = [0, 0]
  for (const { name, run } of scenarios) {
    if (requested.length > 0 && !requested.some((start) => name.startsWith(start))) continue
    console.log(`\n${name}`)
    const started = performance.now()
    await run((held, what) => {
      if (held) passed++
      else failed++
      console.log(`  ${held ? 'ok  ' : 'FAIL'} ${what}`)
    }).catch((error: unknown) => {
      if (error instanceof PostgresMissingError) return
      failed++
      console.log(`  FAIL it ended with ${(error as Error).stack}`)
    })
    console.log(`  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  }
  console.log(`\n${passed} passed, ${failed} failed`)
  process.exit(failed === 0 ? 0 : 1)
}

/**
 * Sends SIGKILL at random moments under load. Afterward, every acknowledged record must exist, be complete, and have
 * been delivered.
 */
async function testKills(check: Check, database: Environment): Promise<void> {
  const environment = { ...createUnlimitedEnvironment(database), ...QUICK_RETRIES }
  const { key } = await createBuilder(environment)
  const receiver = await startReceiver()
  const ledger = new Ledger(key)
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService(environment)
    if (round === 0) await ledger.subscribe(service.url, receiver.url)
    // First repeats the requests that the last kill interrupted, with their original Idempotency-Keys.
    await ledger.repeatUnanswered(service.url)
    const load = ledger.write(service.url, 16)
    await ledger.untilMore(20)
    await delay(Math.random() * 700)
    await service.kill()
    await load
  }
  const service = await startService(environment)
  await ledger.repeatUnanswered(service.url)
  await checkLedger(check, ledger, service, receiver, `${ROUNDS} kills`)
  await service.stop()
  await receiver.close()
}

/** A kind of load during which the service is killed repeatedly: how to write, and how to check the result. */
interface CrashLoad {
  readonly acknowledged: number
  readonly unanswered: number
  prepare(service: string): Promise<void>
  write(service: string, writers: number): Promise<void>
  untilMore(count: number): Promise<void>
  repeatUnanswered(service: string): Promise<void>
  faults(service: string): Promise<string[]>
}

/**
 * Sends SIGKILL at random moments during writes that consist of several parts. Afterward, either all parts must exist
 * or none.
 */
async function testKillsDuring(
  check: Check,
  database: Environment,
  { what, of }: { what: string; of(key: string): CrashLoad },
): Promise<void> {
  const environment = createUnlimitedEnvironment(database)
  const { key } = await createBuilder(environment)
  const load = of(key)
  const errors: string[] = []
  let cutOff = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const service = await startService({ ...environment, COMPILE_AHEAD: 'false' })
    if (round === 0) await load.prepare(service.url)
    cutOff += load.unanswered
    // Checks before the interrupted requests are repeated, because a repeat could complete partial writes.
    errors.push(...(await load.faults(service.url)))
    await load.repeatUnanswered(service.url)
    if (round === ROUNDS) {
      errors.push(...(await load.faults(service.url)))
      await service.stop()
      break
    }
    const writing = load.write(service.url, 3)
    await load.untilMore(2)
    await delay(Math.random() * 200)
    await service.kill()
    await writing
    if (round % 10 === 9) process.stderr.write(`  ${round + 1} of ${ROUNDS} kills\n`)
  }
  check(
    errors.length === 0,
    `${load.acknowledged} ${what} with ${ROUNDS} kills, ${cutOff} cut off: ${errors.length} are there in part ${errors.slice(0, 3).join('; ')}`,
  )
}

const CASCADES = { what: 'cascades', of: (key: string) => new Cascades(key) }
const PAYMENTS = { what: 'steps of payments', of: (key: string) => new Payments(key) }

/** Kills the service at each kill point. The next process must continue at this point. */
async function testKillsAtPoints(check: Check, postgres: Postgres): Promise<void> {
  for (const [i, point] of KILL_POINTS.entries()) {
    const environment = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database(`point${i}`) })
    const { key } = await createBuilder(environment)
    const { faults, resumedMs } = await testKillPoint(point, environment, key)
    check(
      faults.length === 0,
      `killed ${point}: delivered ${Math.round(resumedMs)} ms after the death${faults.map((fault) => `; ${fault}`).join('')}`,
    )
  }
}

/**
 * Kills processes under load, one after another: the service at random moments and at the kill points, and the
 * database. Then checks the deliveries that the receivers got.
 */
async function testKillsDuringDelivery(check: Check, postgres: Postgres): Promise<void> {
  const proxy = await startPostgresProxy(postgres.url)
  const environment = { ...createUnlimitedEnvironment({ DATABASE_URL: proxy.url }), ...QUICK_RETRIES }
  const { key } = await createBuilder(environment)
  const receiver = await startReceiver()
  const ledger = new Ledger(key)
  const deaths = new Map<string, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService(environment)
    if (round === 0) await ledger.subscribe(service.url, receiver.url)
    await ledger.repeatUnanswered(service.url)
    const load = ledger.write(service.url, 16)
    await ledger.untilMore(10)
    const point = round % 4 === 0 ? KILL_POINTS[(round / 4) % KILL_POINTS.length] : undefined
    const death = point ?? (round % 4 === 2 ? 'of PostgreSQL' : 'at random')
    if (point !== undefined) {
      armKill(point, proxy, receiver, () => service.signal('SIGKILL'))
      await Promise.race([service.ended, delay(20_000)])
      if (service.isRunning) check(false, `round ${round}: the service came to no point ${point}`)
    } else {
      await delay(Math.random() * 700)
      if (death === 'of PostgreSQL') {
        await postgres.kill()
        await postgres.start()
      }
    }
    await service.kill()
    disarmKill(proxy, receiver)
    ledger.stop()
    await load
    deaths.set(death, (deaths.get(death) ?? 0) + 1)
    if (round % 10 === 9) process.stderr.write(`  ${round + 1} of ${ROUNDS} kills\n`)
  }
  const died = performance.now()
  const service = await startService(environment)
  await ledger.repeatUnanswered(service.url)
  await checkLedger(check, ledger, service, receiver, `${ROUNDS} kills`)
  const resumedMs = Math.round(performance.now() - died)
  check(resumedMs < 30_000, `everything was delivered ${resumedMs} ms after the last death`)
  const events = await ledger.eventIds(service.url)
  const phantoms = receiver.received.filter(({ event }) => !events.has(event?.id))
  check(phantoms.length === 0, `${phantoms.length} deliveries are of something that was never committed`)
  const bodies = Map.groupBy(receiver.received, ({ headers }) => headers['webhook-id'])
  const changed = [...bodies.values()].filter((all) => new Set(all.map(({ body }) => body)).size > 1)
  check(changed.length === 0, `${bodies.size} events came, ${changed.length} of them in more than one form`)
  console.log(`       deaths: ${[...deaths].map(([death, count]) => `${count} × ${death}`).join(', ')}`)
  await service.stop()
  await receiver.close()
  await proxy.close()
}

/**
 * Stops the database under load and starts it again. Meanwhile, the service must report the outage. Afterward, it must
 * recover without a restart.
 */
async function testOutage(check: Check, postgres: Postgres, takeAway: () => Promise<void>): Promise<void> {
  const environment = { ...createUnlimitedEnvironment({ DATABASE_URL: postgres.url }), ...QUICK_RETRIES }
  const { key } = await createBuilder(environment)
  const receiver = await startReceiver()
  const service = await startService(environment)
  const ledger = new Ledger(key)
  await ledger.subscribe(service.url, receiver.url)
  const load = ledger.write(service.url, 16)
  await ledger.untilMore(200)
  await takeAway()
  await delay(3000)
  check(service.isRunning, `the process has not ended${service.isRunning ? '' : `: ${service.log.slice(-2000)}`}`)
  const [alive, ready] = await Promise.all([fetch(`${service.url}/healthz`), fetch(`${service.url}/readyz`)])
  check(
    alive.status === 200 && ready.status === 503,
    `while it is away: /healthz ${alive.status}, /readyz ${ready.status}`,
  )
  const started = performance.now()
  const away = await fetch(`${service.url}/api/ext/vendors`, { headers: { authorization: `Bearer ${key}` } })
  const { code } = (await away.json()) as { code: string }
  const waited = Math.round(performance.now() - started)
  check(
    away.status === 503 && code === 'unavailable' && Number(away.headers.get('retry-after')) > 0,
    `while it is away: ${away.status} ${code}, Retry-After ${away.headers.get('retry-after')}, after ${waited} ms`,
  )
  await postgres.start()
  const back = performance.now()
  await ledger.untilMore(200)
  check(true, `200 writes acknowledged ${Math.round(performance.now() - back)} ms after it is back`)
  ledger.stop()
  await load
  const odd = [...ledger.answers].filter(
    ([answer]) => answer !== '201' && answer !== '200' && !answer.startsWith('503 unavailable'),
  )
  check(
    odd.length === 0,
    `answers under load: ${[...ledger.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
  )
  check(service.isRunning, 'the process is the same as before')
  await ledger.repeatUnanswered(service.url)
  await checkLedger(check, ledger, service, receiver, 'the outage')
  await service.stop()
  await receiver.close()
}

/**
 * Sends SIGTERM under load. Every accepted request must get a complete response, and the process must end soon and
 * successfully.
 */
async function testDrain(check: Check, database: Environment): Promise<void> {
  const environment = { ...createUnlimitedEnvironment(database), ...QUICK_RETRIES }
  const { key } = await createBuilder(environment)
  const receiver = await startReceiver()
  const service = await startService(environment)
  const ledger = new Ledger(key)
  await ledger.subscribe(service.url, receiver.url)
  const load = ledger.write(service.url, 16)
  await ledger.untilMore(100)
  // The service has accepted these requests, because it asked their clients to send the body.
  const taken = await Promise.all(
    Array.from({ length: 20 }, (_, index) => beginRequest(service.url, key, `{"companyName":"Taken ${index}"}`)),
  )
  service.signal('SIGTERM')
  await delay(200)
  const answers = await Promise.all(taken.map((request) => request.finish()))
  const answered = answers.filter(
    (answer) => answer.startsWith('HTTP/1.1 201 ') && answer.includes('"companyName"'),
  ).length
  check(
    answered === taken.length,
    `${answered} of ${taken.length} requests that were under way at SIGTERM were answered in full`,
  )
  check(
    answers.every((answer) => /^connection: close\r$/im.test(answer)),
    'each of them was told that the connection ends',
  )
  const started = performance.now()
  const code = await service.ended
  check(code === 0, `the process ended with ${code} after ${Math.round(performance.now() - started)} ms`)
  ledger.stop()
  await load
  const odd = [...ledger.answers.keys()].filter((answer) => !['200', '201', 'no connection'].includes(answer))
  check(
    odd.length === 0,
    `answers under load: ${[...ledger.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
  )
  const next = await startService(environment)
  await ledger.repeatUnanswered(next.url)
  await checkLedger(check, ledger, next, receiver, 'the restart')
  await next.stop()
  await receiver.close()
}

/**
 * Sends a thousand requests at once to two processes that use one database. The number of accepted requests must equal
 * the limit.
 */
async function testLimits(check: Check, url: string): Promise<void> {
  const environment = createUnlimitedEnvironment({ DATABASE_URL: url })
  const { organizationId, key } = await createBuilder(environment)
  const { organizationId: _, key: other } = await createBuilder(environment, 'Cedar & Sons')
  for (const [what, limits, keys, most] of [
    ['100 a minute for a key', { RATE_LIMIT_PER_MINUTE: '100' }, [key], 100],
    [
      '500 a day for an organization with three keys',
      { QUOTA_PER_DAY: '500' },
      await createThreeKeys(environment, organizationId),
      500,
    ],
  ] as const) {
    const services = await Promise.all([0, 1].map(() => startService({ ...environment, ...limits })))
    const statuses = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const at = services[index % 2]?.url ?? ''
        const response = await fetch(`${at}/api/ext/vendors?limit=1`, {
          headers: { authorization: `Bearer ${keys[index % keys.length]}` },
        })
        await response.arrayBuffer()
        return response.status
      }),
    )
    const count = (status: number) => statuses.filter((each) => each === status).length
    // The requests of the first part count toward the daily quota.
    const expected = limits && 'QUOTA_PER_DAY' in limits ? most - 100 : most
    check(
      count(200) === expected && count(429) === 1000 - expected,
      `${what}: of 1,000 at once at two processes ${count(200)} passed, ${count(429)} were refused`,
    )
    const unaffected = await fetch(`${services[0]?.url}/api/ext/vendors`, {
      headers: { authorization: `Bearer ${other}` },
    })
    check(unaffected.status === 200, 'another builder is not affected')
    await Promise.all(services.map((service) => service.stop()))
  }
}

async function createThreeKeys(environment: Environment, organizationId: string): Promise<string[]> {
  const created = []
  for (let i = 0; i < 3; i++)
    created.push(
      await runOperatorCommand<{ secret: string }>(environment, 'keys', 'create', '--organization', organizationId),
    )
  return created.map(({ secret }) => secret)
}

/**
 * Starts three processes on an empty database at the same moment. One of them must create the schema, and all must
 * serve requests.
 */
async function testParallelStart(check: Check, url: string): Promise<void> {
  const environment = createUnlimitedEnvironment({ DATABASE_URL: url })
  const services = await Promise.all([0, 1, 2].map(() => startService(environment)))
  check(
    services.every((service) => service.isRunning),
    `three processes are ready, after ${services.map(({ startMs }) => `${Math.round(startMs)} ms`).join(', ')}`,
  )
  const { key } = await createBuilder(environment)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (const { url: at } of services)
    await fetch(`${at}/api/ext/vendors`, { method: 'POST', headers, body: '{"companyName":"A"}' })
  const counts = await Promise.all(
    services.map(
      async ({ url: at }) =>
        ((await (await fetch(`${at}/api/ext/vendors`, { headers })).json()) as { data: unknown[] }).data.length,
    ),
  )
  check(
    counts.every((count) => count === 3),
    `each sees what all have written: ${counts.join(', ')}`,
  )
  await Promise.all(services.map((service) => service.stop()))
}

async function checkLedger(
  check: Check,
  ledger: Ledger,
  service: Service,
  receiver: Receiver,
  after: string,
): Promise<void> {
  const found = await ledger.compare(service.url)
  check(
    found.lost.length === 0,
    `${ledger.acknowledged} acknowledged writes are there after ${after}, ${found.lost.length} are lost ${found.lost.slice(0, 3).join(', ')}`,
  )
  check(
    found.doubled.length === 0,
    `${found.repeated} repeats under an Idempotency-Key made nothing twice, ${found.doubled.length} did`,
  )
  check(
    found.halves.length === 0,
    `${found.vendors} vendors and ${found.events} events belong together, ${found.halves.length} do not ${found.halves.slice(0, 3).join(', ')}`,
  )
  const missing = await ledger.undelivered(service.url, receiver)
  const twice = receiver.received.length - new Set(receiver.received.map(({ event }) => event?.id)).size
  check(
    missing.length === 0,
    `every event was delivered, ${missing.length} were not (${twice} came more than once) ${missing.slice(0, 3).join(', ')}`,
  )
}

/** Starts a request that the service accepts. The service then waits for the body. */
function beginRequest(url: string, key: string, body: string): Promise<{ finish(): Promise<string> }> {
  const { hostname, port } = new URL(url)
  return new Promise((started, fail) => {
    let answer = ''
    const socket = connect(Number(port), hostname)
    const ended = new Promise<void>((done) => socket.on('close', () => done()))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk
      if (!answer.startsWith('HTTP/1.1 100 Continue\r\n\r\n')) return
      answer = answer.slice('HTTP/1.1 100 Continue\r\n\r\n'.length)
      started({
        async finish() {
          socket.write(body)
          await ended
          return answer
        },
      })
    })
    socket.on('error', fail)
    socket.write(
      [
        'POST /api/ext/vendors HTTP/1.1',
        'Host: plumbline',
        `Authorization: Bearer ${key}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        'Expect: 100-continue',
        '\r\n',
      ].join('\r\n'),
    )
  })
}

interface Postgres extends PrivatePostgres {
  url: string
}

class PostgresMissingError extends Error {}

async function withPostgres(run: (postgres: Postgres) => Promise<void>): Promise<void> {
  const postgres = await startPostgres()
  if (postgres === null) throw new PostgresMissingError()
  try {
    await run({ ...postgres, url: await postgres.database() })
  } finally {
    await postgres.stop()
  }
}

async function withDataFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-crash-'))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await runScenarios()
