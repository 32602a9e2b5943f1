import type { Logger } from 'pino'
import type { Contract } from '../calls/contract.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { FailureLog } from '../problems/failure-log.ts'
import type { Clock } from '../runtime/clock.ts'
import { type AttemptReport, type DelivererMetrics, startDeliverer } from './deliverer.ts'
import { dispatchEvents, type WebhookName } from './dispatcher.ts'
import type { Resolve } from './name-resolution.ts'
import { createWebhookOwners } from './owners.ts'
import type { TellDisabled } from './settlement.ts'

/**
 * The path from a committed event to the receivers, inside each server process:
 *
 *     record      events/record-event.ts   in the transaction of the change
 *     dispatch    dispatcher.ts      a sequence number, and a delivery for each subscription
 *     claim       claims.ts          due deliveries, up to each subscription's limit
 *     send        sender.ts          within ten seconds, to a public address
 *     settle      settlement.ts      the attempt, the delivery, and the failure count
 *
 * A commit in this process starts this sequence immediately. A check every second finds commits of other processes and
 * deliveries that have become due. The check also continues the work of processes that have ended.
 */
export interface DeliveryParts {
  database: Database
  config: Config
  clock: Clock
  log: Logger
  failures: FailureLog
  contract: Contract
  tellDisabled: TellDisabled
  attemptMade?(attempt: AttemptReport): void
  /** Called after this process has assigned sequence numbers to events. */
  eventsDispatched?(): void
  /** Resolves host names to IP addresses. Tests replace this function. */
  resolve?: Resolve
}

export interface DeliveryPipeline {
  /** Call this function after this process has committed events. */
  wake(): void
  /** Call this function if deliveries may be due that no commit of this process has announced. */
  look(): Promise<void>
  /** Call this function if a commit of this process may have made deliveries of a subscription due. */
  due(webhook: WebhookName): void
  /** Starts no more attempts. Resolves when the outcomes of the attempts in progress are recorded. */
  stop(): Promise<void>
  metrics(): DeliveryMetrics
}

export interface DeliveryMetrics extends DelivererMetrics {
  eventsDispatched: number
}

/**
 * The time in milliseconds until the next check if another process is dispatching. That process may have started before
 * the events of this process were committed, so it may not see them.
 */
const BUSY_RETRY_MS = 10

/**
 * The time in milliseconds to collect events before the next dispatch, for each event in the last batch. Collecting is
 * worthwhile under load, because a batch costs the database little more than a single event. With few events, the delay
 * is negligible.
 */
const GATHER_MS_PER_EVENT = 1
const MAX_GATHER_MS = 25

/** The time in milliseconds to wait after a failure, for example if the database is unavailable. */
const FAILURE_PAUSE_MS = 1000

export function startDelivery(parts: DeliveryParts): DeliveryPipeline {
  const { database, config, clock, failures } = parts
  const owners = createWebhookOwners(parts.contract)
  const deliverer = startDeliverer({ ...parts, owners })
  const metrics = { eventsDispatched: 0 }
  let isStopped = false
  let isWoken = false
  let isRunning = false
  let running: Promise<void> = Promise.resolve()

  function wake(): void {
    isWoken = true
    if (isRunning || isStopped) return
    isRunning = true
    running = run()
  }

  async function run(): Promise<void> {
    while (isWoken && !isStopped) {
      isWoken = false
      try {
        const { isBusy, hasMore, events, due } = await dispatchEvents({ database, config, clock, owners })
        failures.succeeded('dispatchEvents')
        metrics.eventsDispatched += events
        if (events > 0) parts.eventsDispatched?.()
        deliverer.take(due)
        isWoken ||= hasMore || isBusy
        if (events > 0 && !hasMore) await pause(Math.min(MAX_GATHER_MS, events * GATHER_MS_PER_EVENT))
        if (isBusy) await pause(BUSY_RETRY_MS)
      } catch (error) {
        failures.failed('dispatchEvents', error)
        isWoken = true
        await pause(FAILURE_PAUSE_MS)
      }
    }
    isRunning = false
  }

  function pause(ms: number): Promise<void> {
    return new Promise((done) => setTimeout(done, isStopped ? 0 : ms))
  }

  return {
    wake,
    look: deliverer.look,
    due(webhook) {
      deliverer.take([webhook])
      deliverer.takeTests()
    },
    async stop() {
      isStopped = true
      await running
      await deliverer.stop()
    },
    metrics: () => ({ ...metrics, ...deliverer.metrics() }),
  }
}
