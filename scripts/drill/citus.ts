import { setTimeout as delay } from 'node:timers/promises'
import { Ledger } from '../crash/ledger.ts'
import { type PrivateCitus, runOnNode, startCitus } from '../processes/citus.ts'
import { type LoadBalancer, startHaproxy } from '../processes/haproxy.ts'
import type { PrivatePostgres } from '../processes/postgres.ts'
import {
  createBuilder,
  createUnlimitedEnvironment,
  type Environment,
  findFreePort,
  type Service,
  startService,
} from '../processes/service.ts'
import { type Check, killAll } from './failover.ts'
import { testUpgradeOn } from './upgrade.ts'

/** The time after which a supervisor starts a failed worker again, in milliseconds. */
const RESTART_DELAY_MS = 2000

/** A builder whose records the drill writes, and the worker that stores them. */
interface PlacedBuilder {
  organizationId: string
  worker: PrivatePostgres
  ledger: Ledger
}

interface RunningCluster {
  citus: PrivateCitus
  balancer: LoadBalancer
  environment: Environment
  /** Two builders, one on each worker. */
  builders: readonly [PlacedBuilder, PlacedBuilder]
}

/**
 * Runs two processes behind HAProxy on a Citus cluster with two workers. Under load, kills a worker and starts it
 * again. Then, under load, moves a builder's shards to the other worker.
 */
export async function testCitus(check: Check): Promise<void> {
  const citus = await startCitus()
  if (citus === null) return
  const ports = [await findFreePort(), await findFreePort()]
  const balancer = await startHaproxy(ports, [citus.coordinator.port])
  const services: Service[] = []
  try {
    if (balancer === null) return
    const environment = createUnlimitedEnvironment({ DATABASE_URL: citus.url })
    for (const port of ports) services.push(await startService({ ...environment, PORT: String(port) }))
    const cluster = { citus, balancer, environment, builders: await placeBuilders(citus, environment) }
    await testKilledWorker(check, cluster)
    await testMovedShards(check, cluster)
    for (const { ledger } of cluster.builders) await checkLedger(check, ledger, balancer)
    check(
      services.every((service) => service.isRunning),
      'both processes run until the end',
    )
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    await balancer?.stop()
    await citus.stop()
  }
}

/** Upgrades a service on a Citus cluster, one process after the other. The migration also creates a table. */
export async function testCitusUpgrade(check: Check): Promise<void> {
  const citus = await startCitus()
  if (citus === null) return
  try {
    await testUpgradeOn(check, { server: citus.coordinator, url: citus.url })
  } finally {
    await citus.stop()
  }
}

/** The time in milliseconds for which the drill waits until a node has archived its log. */
const MAX_ARCHIVING_MS = 60_000

/**
 * Under load, copies all nodes and then sets one restore point for the whole cluster. Afterward, restores all nodes to
 * this point, as after the loss of all machines, and compares the records with the acknowledged writes.
 */
export async function testCitusBackup(check: Check): Promise<void> {
  const citus = await startCitus({ archive_mode: 'on' })
  if (citus === null) return
  const nodes = [citus.coordinator, ...citus.workers]
  try {
    const environment = createUnlimitedEnvironment({ DATABASE_URL: citus.url })
    const service = await startService({ ...environment, PORT: String(await findFreePort()) })
    const builders = await placeBuilders(citus, environment)
    const load = Promise.all(builders.map(({ ledger }) => ledger.write(service.url, 4)))
    const untilMore = (count: number) => Promise.all(builders.map(({ ledger }) => ledger.untilMore(count)))
    await untilMore(100)
    for (const node of nodes) node.backUp()
    await untilMore(100)
    const askedAtMs = Date.now()
    await runOnNode(citus.coordinator, [`select citus_create_restore_point('drill')`])
    await untilMore(100)
    for (const { ledger } of builders) ledger.stop()
    await load
    await service.stop()
    await Promise.all(nodes.map(archiveLog))
    for (const node of nodes) await node.restore('drill')
    console.log(`       ${nodes.length} nodes were restored to a point of ${Date.now() - askedAtMs} ms ago`)

    const restored = await startService({ ...environment, PORT: String(await findFreePort()) })
    for (const { ledger } of builders) {
      const { lost, doubled, halves, vendors, events } = await ledger.compare(restored.url)
      const lostIds = new Set(lost.map((entry) => entry.split(' ')[0]))
      const before = [...ledger.acknowledgedAt].filter(([, atMs]) => atMs < askedAtMs)
      const lostBefore = before.filter(([id]) => lostIds.has(id))
      check(
        lostBefore.length + doubled.length + halves.length === 0,
        `${before.length} writes acknowledged before the restore point: ${lostBefore.length} lost, ${doubled.length} made twice; ${vendors} vendors and ${events} events, ${halves.length} do not belong together ${halves.slice(0, 3).join('; ')}`,
      )
      check(lost.length > 0, `${lost.length} later writes are not in the restored cluster`)
    }
    await restored.stop()
  } finally {
    await citus.stop()
  }
}

/** Switches the node to a new log file, and waits until the previous file is archived. */
async function archiveLog(node: PrivatePostgres): Promise<void> {
  const [current] = await runOnNode(node, [`select pg_walfile_name(pg_current_wal_lsn()) as "file"`])
  await runOnNode(node, ['select pg_switch_wal()'])
  const deadline = Date.now() + MAX_ARCHIVING_MS
  for (;;) {
    const [row] = await runOnNode(node, [`select "last_archived_wal" as "file" from "pg_stat_archiver"`])
    // The names of log files ascend.
    if (String(row?.file ?? '') >= String(current?.file)) return
    if (Date.now() > deadline) throw new Error(`The node did not archive ${current?.file} within a minute.`)
    await delay(200)
  }
}

/** Creates builders until there is one on each worker. */
async function placeBuilders(citus: PrivateCitus, environment: Environment): Promise<RunningCluster['builders']> {
  const byPort = new Map<number, PlacedBuilder>()
  for (let i = 1; byPort.size < citus.workers.length; i++) {
    if (i > 20) throw new Error('Expected builders on both workers.')
    const { organizationId, key } = await createBuilder(environment, `Builder ${i}`)
    const port = await findPort(citus, organizationId)
    const worker = citus.workers.find((each) => each.port === port)
    if (worker !== undefined && !byPort.has(port)) byPort.set(port, { organizationId, worker, ledger: new Ledger(key) })
  }
  const [first, second] = [...byPort.values()]
  if (first === undefined || second === undefined) throw new Error('Expected two workers.')
  return [first, second]
}

async function findPort({ coordinator }: PrivateCitus, organizationId: string): Promise<number> {
  const [row] = await runOnNode(coordinator, [
    `select s.nodeport as "port" from citus_shards s
     where s.shardid = get_shard_id_for_distribution_column('organizations', '${organizationId}')`,
  ])
  return Number(row?.port)
}

async function testKilledWorker(check: Check, { balancer, builders }: RunningCluster): Promise<void> {
  const load = Promise.all(builders.map(({ ledger }) => ledger.write(balancer.url, 4)))
  await Promise.all(builders.map(({ ledger }) => ledger.untilMore(100)))
  const [{ worker, ledger }, other] = builders
  await killAll(worker)
  const diedAtMs = Date.now()
  const before = other.ledger.acknowledged
  await delay(RESTART_DELAY_MS)
  const during = other.ledger.acknowledged - before
  check(during > 0, `while a worker is down, ${during} writes of the builder on the other worker are acknowledged`)
  await worker.start()
  const restartedAtMs = Date.now()
  await ledger.untilMore(1)
  console.log(
    `       ${restartedAtMs - diedAtMs} ms after the failure the worker runs again, and ${Date.now() - restartedAtMs} ms later a write of its builder is acknowledged`,
  )
  await Promise.all(builders.map((builder) => builder.ledger.untilMore(100)))
  for (const builder of builders) builder.ledger.stop()
  await load
  for (const builder of builders) checkAnswers(check, builder.ledger)
}

async function testMovedShards(check: Check, cluster: RunningCluster): Promise<void> {
  const { citus, balancer, builders } = cluster
  const [{ organizationId, worker, ledger }, other] = builders
  const load = Promise.all(builders.map((builder) => builder.ledger.write(balancer.url, 4)))
  await Promise.all(builders.map((builder) => builder.ledger.untilMore(50)))
  const started = performance.now()
  await runOnNode(citus.coordinator, [
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('organizations', '${organizationId}'),
      '127.0.0.1', ${worker.port}, '127.0.0.1', ${other.worker.port})`,
  ])
  console.log(`       the shards of a builder were moved in ${Math.round(performance.now() - started)} ms`)
  await Promise.all(builders.map((builder) => builder.ledger.untilMore(50)))
  for (const builder of builders) builder.ledger.stop()
  await load
  check(
    (await findPort(citus, organizationId)) === other.worker.port,
    'the builder is on the other worker, and its writes are acknowledged there',
  )
  checkAnswers(check, ledger)
}

function checkAnswers(check: Check, { answers }: Ledger): void {
  const odd = [...answers].filter(([answer]) => !/^(20[01]|50[234] unavailable|503 timed_out)$/.test(answer))
  check(
    odd.length === 0,
    `responses under load: ${[...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ')}`,
  )
}

async function checkLedger(check: Check, ledger: Ledger, balancer: LoadBalancer): Promise<void> {
  await ledger.repeatUnanswered(balancer.url)
  const { lost, doubled, halves, vendors, events } = await ledger.compare(balancer.url)
  check(
    lost.length + doubled.length + halves.length === 0,
    `${ledger.acknowledged} acknowledged writes: ${lost.length} lost, ${doubled.length} made twice; ${vendors} vendors and ${events} events, ${halves.length} do not belong together ${[...lost, ...doubled, ...halves].slice(0, 3).join('; ')}`,
  )
}
