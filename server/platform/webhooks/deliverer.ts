import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { createVault } from '../encryption/vault.ts'
import type { FailureLog } from '../problems/failure-log.ts'
import type { Clock } from '../runtime/clock.ts'
import {
  type ClaimedDelivery,
  type Claims,
  claimDeliveries,
  claimTestDeliveries,
  releaseClaimsAndFindDueWebhooks,
  type Turn,
} from './claims.ts'
import type { WebhookName } from './dispatcher.ts'
import { FairQueue } from './fair-queue.ts'
import { InFlightShares } from './in-flight-shares.ts'
import type { Resolve } from './name-resolution.ts'
import type { Owners } from './owners.ts'
import { type AttemptOutcome, createSender } from './sender.ts'
import { type EndedAttempt, type Settlement, storeAttemptOutcomes, type TellDisabled } from './settlement.ts'
import { signPayload } from './signature.ts'
import { decodeSecret, getSecretEncryptionContext } from './webhook-secret.ts'

/**
 * Sends due deliveries, up to the allowed number of concurrent attempts, and records their outcomes in batches.
 *
 * A receiver that does not respond occupies its attempts for ten seconds. A subscription and its builder can use only a
 * share of the attempts of this process (see in-flight-shares.ts), so there is always capacity for others.
 */
export interface DelivererParts {
  database: Database
  config: Config
  clock: Clock
  log: Logger
  failures: FailureLog
  owners: Owners
  tellDisabled: TellDisabled
  /** Called after each attempt has been recorded. */
  attemptMade?(attempt: AttemptReport): void
  resolve?: Resolve
}

/** The data about an attempt that is required for metrics. */
export interface AttemptReport {
  outcome: AttemptOutcome['kind']
  durationMs: number
  /**
   * The time in milliseconds from the event until the first byte of its first attempt was sent; null for all other
   * attempts.
   */
  delayMs: number | null
  /** The status of the delivery after the attempt. */
  status: Settlement['statuses'][number]
}

export interface Deliverer {
  /** Tells the deliverer that these subscriptions may have due deliveries. */
  take(webhooks: WebhookName[]): void
  /** Tells the deliverer that a test delivery was requested. */
  takeTests(): void
  /** Searches for due deliveries. */
  look(): Promise<void>
  /** Stops claiming deliveries. Resolves when the outcomes of all attempts in progress are recorded. */
  stop(): Promise<void>
  metrics(): DelivererMetrics
}

export interface DelivererMetrics {
  attemptsUnderWay: number
}

/**
 * The number of deliveries per transaction: large enough for a low cost per delivery, and small enough that they start
 * within milliseconds.
 */
const BATCH_CLAIMS = 512
const BATCH_SETTLEMENTS = 512

/**
 * The number of deliveries that are started before other work, such as requests, can run. Starting a delivery takes 0.1
 * ms of CPU time.
 */
const STARTS_AT_ONCE = 64

/** The time in milliseconds until the next try if another process is claiming deliveries of the subscription. */
const MISSED_RETRY_MS = 20

/** The maximum time until a retry for which a timer is set. The check that runs every second finds later retries. */
const TIMER_HORIZON_MS = 30_000

const FAILURE_PAUSE_MS = 1000

export function startDeliverer(parts: DelivererParts): Deliverer {
  const { database, config, clock, log, failures, owners } = parts
  const http = createSender(clock, { allowPrivate: config.webhookAllowPrivate, resolve: parts.resolve })
  const { open } = createVault(config.encryptionKey)
  const turns = new FairQueue()
  const shares = new InFlightShares()
  /** Subscriptions that have due deliveries but have already used their share. */
  const waiting = new Map<string, WebhookName>()
  const timers = new Map<string, { atMs: number; timer: NodeJS.Timeout }>()
  let underWay = 0
  let isClaiming = false
  let claiming: Promise<void> = Promise.resolve()
  let testing: Promise<void> = Promise.resolve()
  let isSettling = false
  let isStopped = false
  let settled: EndedAttempt[] = []
  let idle: (() => void) | null = null

  function take(webhooks: WebhookName[]): void {
    for (const webhook of webhooks) turns.add(webhook)
    claimAll()
  }

  function claimAll(): void {
    if (isClaiming || isStopped) return
    isClaiming = true
    claiming = claimDue()
  }

  async function claimDue(): Promise<void> {
    try {
      while (!isStopped) {
        const chosen = turns.next(BATCH_CLAIMS, (organizationId) => shares.reserve(organizationId))
        if (chosen.length === 0) break
        const { deliveries, full, missed } = await claimed(chosen)
        failures.succeeded('claimDeliveries')
        for (const { organizationId, webhookId } of full) waiting.set(webhookId, { organizationId, webhookId })
        for (const webhook of missed) wakeAt(webhook, clock.nowMs() + MISSED_RETRY_MS)
        for (const [i, delivery] of orderByAttempts(deliveries).entries()) {
          start(delivery)
          if (i % STARTS_AT_ONCE === STARTS_AT_ONCE - 1) await new Promise((next) => setImmediate(next))
        }
      }
    } catch (error) {
      failures.failed('claimDeliveries', error)
      await new Promise((done) => setTimeout(done, isStopped ? 0 : FAILURE_PAUSE_MS))
    }
    isClaiming = false
  }

  // The full share is reserved only until the claim shows which part of it is needed.
  async function claimed(chosen: Turn[]): Promise<Claims> {
    try {
      return await claimDeliveries({ database, clock, owners }, chosen)
    } catch (error) {
      for (const { organizationId, webhookId } of chosen) turns.add({ organizationId, webhookId })
      throw error
    } finally {
      for (const { organizationId, most } of chosen) shares.add(organizationId, -most)
    }
  }

  async function startTests(): Promise<void> {
    if (isStopped) return
    const deliveries = await claimTestDeliveries(database, clock, owners)
    failures.succeeded('claimTestDeliveries')
    for (const delivery of deliveries) start(delivery)
  }

  function takeTests(): void {
    testing = testing.then(startTests).catch((error: unknown) => failures.failed('claimTestDeliveries', error))
  }

  function start(claimed: ClaimedDelivery): void {
    underWay++
    shares.add(claimed.organizationId, 1)
    void attempt(claimed).then(
      (outcome) => {
        settled.push({ claimed, outcome })
        void settleAll()
      },
      (error: unknown) => {
        // This process does not have the key with which the secret is encrypted, so the receiver is not responsible for
        // the failure. When the claim expires, another process with the key makes the attempt.
        log.error({ err: error, webhookId: claimed.webhookId }, 'could not sign a delivery')
        underWay--
        release(claimed)
      },
    )
  }

  async function attempt(claimed: ClaimedDelivery): Promise<AttemptOutcome> {
    const { eventId, webhookId, organizationId, body, destination, test } = claimed
    const timestamp = Math.floor(clock.nowMs() / 1000)
    const keys = destination.sealedSecrets.map((sealed) =>
      decodeSecret(open(sealed, getSecretEncryptionContext(organizationId, webhookId))),
    )
    const signed = signPayload(keys, eventId, timestamp, body)
    return http.send({
      url: destination.url,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Plumbline-Webhooks/1',
        'webhook-id': eventId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signed,
        'X-Webhook-Signature': signed,
        ...(test && { 'webhook-test': 'true' }),
      },
    })
  }

  // While one batch is written, the next batch is collected, so batches become larger under load.
  async function settleAll(): Promise<void> {
    if (isSettling) return
    isSettling = true
    while (settled.length > 0) {
      const batch = settled.splice(0, BATCH_SETTLEMENTS)
      try {
        const { statuses, disabled, retries } = await storeAttemptOutcomes(
          database,
          config,
          clock,
          batch,
          parts.tellDisabled,
        )
        failures.succeeded('settleAttempts')
        statuses.forEach((status, i) => {
          const one = batch[i]
          if (one !== undefined) parts.attemptMade?.(toAttemptMade(one, status))
        })
        for (const webhook of disabled) log.warn(webhook, 'a webhook was disabled')
        for (const { atMs, ...webhook } of retries) wakeAt(webhook, atMs)
        underWay -= batch.length
        for (const { claimed } of batch) release(claimed)
      } catch (error) {
        failures.failed('settleAttempts', error)
        // A shutdown does not wait for an unavailable database. The claims expire, and the attempts are made again.
        if (isStopped) {
          underWay -= batch.length
          continue
        }
        // Keep the outcomes, to record them when the database is available again.
        settled = [...batch, ...settled]
        await new Promise((done) => setTimeout(done, FAILURE_PAUSE_MS))
      }
    }
    isSettling = false
    if (underWay === 0) idle?.()
    claimAll()
  }

  function release({ organizationId, webhookId }: ClaimedDelivery): void {
    shares.add(organizationId, -1)
    const webhook = waiting.get(webhookId)
    if (webhook === undefined) return
    waiting.delete(webhookId)
    turns.add(webhook)
  }

  function wakeAt(webhook: WebhookName, atMs: number): void {
    const inMs = atMs - clock.nowMs()
    const known = timers.get(webhook.webhookId)
    // One timer for the earliest retry is enough, because it will set the timer for the next retry.
    if (isStopped || inMs > TIMER_HORIZON_MS || (known !== undefined && known.atMs <= atMs)) return
    clearTimeout(known?.timer)
    const ring = () => {
      timers.delete(webhook.webhookId)
      take([webhook])
    }
    timers.set(webhook.webhookId, { atMs, timer: setTimeout(ring, Math.max(0, inMs)) })
  }

  return {
    take,
    takeTests,
    async look() {
      if (isStopped) return
      try {
        const due = await releaseClaimsAndFindDueWebhooks(database, clock)
        failures.succeeded('findDueDeliveries')
        take(due)
      } catch (error) {
        failures.failed('findDueDeliveries', error)
      }
      takeTests()
      await testing
    },
    async stop() {
      isStopped = true
      for (const { timer } of timers.values()) clearTimeout(timer)
      await Promise.all([claiming, testing])
      if (underWay > 0 || isSettling) await new Promise<void>((done) => (idle = done))
      await http.close()
    },
    metrics: () => ({ attemptsUnderWay: underWay }),
  }
}

// Sorts deliveries so that organizations with the fewest deliveries are first and no organization waits for all
// deliveries of another one. The deliveries of each subscription stay in order.
function orderByAttempts(deliveries: ClaimedDelivery[]): ClaimedDelivery[] {
  const groups = [...Map.groupBy(deliveries, ({ organizationId }) => organizationId).values()]
  return groups.sort((one, other) => one.length - other.length).flat()
}

function toAttemptMade({ claimed, outcome }: EndedAttempt, status: AttemptReport['status']): AttemptReport {
  const { occurredAt, attemptCount } = claimed
  const { kind, startedAtMs, durationMs, sentAfterMs } = outcome
  const isFirst = occurredAt !== null && attemptCount === 0 && sentAfterMs !== null
  const delayMs = isFirst ? Math.max(0, startedAtMs + sentAfterMs - Date.parse(occurredAt)) : null
  return { outcome: kind, durationMs, delayMs, status }
}
