import { setTimeout as delay } from 'node:timers/promises'
import { Ledger } from '../crash/ledger.ts'
import { startHaproxy } from '../processes/haproxy.ts'
import { startPostgres } from '../processes/postgres.ts'
import { startReceiver } from '../processes/receiver.ts'
import {
  createBuilder,
  createUnlimitedEnvironment,
  findFreePort,
  type Service,
  startService,
} from '../processes/service.ts'
import type { Check } from './failover.ts'

/**
 * The time after which the load balancer has noticed that a process does not respond, in milliseconds. It makes two
 * checks of up to five seconds each.
 */
const DETECTION_MS = 12_000

/**
 * The maximum wait of a request that was sent to the process shortly before then. It lasts until the load balancer's
 * timeout (see deploy/haproxy.cfg).
 */
const MAX_WAIT_MS = DETECTION_MS + 65_000

/**
 * Runs two processes behind HAProxy. Under load, one process stops responding but keeps its connections open, as on a
 * machine that hangs. It continues after other processes and clients have taken over or given up all of its work.
 */
export async function testSilentProcess(check: Check): Promise<void> {
  const postgres = await startPostgres()
  if (postgres === null) return
  const ports = [await findFreePort(), await findFreePort()]
  const balancer = await startHaproxy(ports, [postgres.port])
  if (balancer === null) return postgres.stop()
  const environment = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database() })
  const started = (port: number | undefined): Promise<Service> =>
    startService({ ...environment, PORT: String(port), WEBHOOK_RETRY_SCHEDULE: '0,1,1,2,2,3,3,5,5,5,5,5' })
  const [silent, other] = [await started(ports[0]), await started(ports[1])]
  const { key } = await createBuilder(environment)
  const receiver = await startReceiver()
  const ledger = new Ledger(key)
  await ledger.subscribe(balancer.url, receiver.url)
  const load = ledger.write(balancer.url, 8)
  await ledger.untilMore(200)

  silent.signal('SIGSTOP')
  const begun = performance.now()
  await delay(DETECTION_MS)
  const later = new Ledger(key)
  const laterLoad = later.write(balancer.url, 8)
  await later.untilMore(200)
  later.stop()
  await laterLoad
  const refused = [...later.answers].filter(([answer]) => !/^20[01]$/.test(answer))
  check(refused.length === 0, `${DETECTION_MS / 1000} s after it has fallen silent all is written by the other`)
  ledger.stop()
  await load
  const waitedMs = performance.now() - begun
  check(waitedMs < MAX_WAIT_MS, `who waits for it is told so after ${Math.round(waitedMs / 1000)} s`)
  const odd = [...ledger.answers].filter(([answer]) => !/^(20[01]|50[24] unavailable)$/.test(answer))
  check(
    odd.length === 0,
    `answers under load: ${[...ledger.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
  )
  await ledger.repeatUnanswered(balancer.url)

  silent.signal('SIGCONT')
  const back = new Ledger(key)
  const backLoad = back.write(silent.url, 4)
  await back.untilMore(200)
  back.stop()
  await backLoad
  check(silent.isRunning && other.isRunning, 'once it comes back it writes again')
  const found = await Promise.all([ledger, later, back].map((each) => each.compare(balancer.url)))
  check(
    found.every(({ lost, doubled, halves }) => lost.length + doubled.length + halves.length === 0),
    `${found[0]?.vendors} vendors and ${found[0]?.events} events belong together, nothing is lost, and ${found[0]?.repeated} repeats made nothing twice: ${JSON.stringify(found.map(({ lost, doubled, halves }) => [...lost, ...doubled, ...halves])).slice(0, 200)}`,
  )
  const missing = await ledger.undelivered(balancer.url, receiver)
  check(missing.length === 0, `every event was delivered, ${missing.length} were not`)
  await Promise.all([silent.stop(), other.stop()])
  await balancer.stop()
  await receiver.close()
  await postgres.stop()
}
