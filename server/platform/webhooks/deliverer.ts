import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { createVault } from '../encryption/vault.ts'
import type { FailureLog } from '../problems/failure-log.ts'
import type { Clock } from '../runtime/clock.ts'
import { type ClaimedDelivery, type Claims, claimDeliveries, claimTests, findDueWebhooks, type Turn } from './claims.ts'
import type { WebhookName } from './dispatcher.ts'
import { FairQueue } from './fair-queue.ts'
import { InFlightShares } from './in-flight-shares.ts'
import type { Resolve } from './name-resolution.ts'
import type { Owners } from './owners.ts'
import { type AttemptOutcome, createSender } from './sender.ts'
import { type EndedAttempt, type Settlement, settleAttempts, type TellDisabled } from './settlement.ts'
import { signPayload } from './signature.ts'
import { decodeSecret, secretSealContext } from './webhook-secret.ts'

/**
 * Sends due deliveries, with as many concurrent attempts as allowed, and records the outcomes in batches.
 *
 * A receiver that does not respond blocks its attempts for ten seconds. It and its builder only get a share of this
 * process's attempts (in-flight-shares.ts), so there is always capacity for others.
 */
export interface DelivererParts {
  database: Database
  config: Config
  clock: Clock
  log: Logger
  failures: FailureLog
  owners: Owners
  tellDisabled: TellDisabled
  /** Called for every attempt once it is recorded. */
  attemptMade?(attempt: AttemptReport): void
  resolve?: Resolve
}

/** An attempt as the metrics count it. */
export interface AttemptReport {
  outcome: AttemptOutcome['kind']
  durationMs: number
  /** From the event to the first byte of its first attempt; null for any other attempt. */
  delayMs: number | null
  /** The resulting status of the delivery. */
  status: Settlement['statuses'][number]
}

export interface Deliverer {
  /** Call this when these subscriptions may have something due. */
  take(webhooks: WebhookName[]): void
  /** Call this when a test delivery was requested. */
  takeTests(): void
  /** Looks for due deliveries. */
  look(): Promise<void>
  /** Stops claiming, and resolves when everything in progress is settled. */
  stop(): Promise<void>
  metrics(): DelivererMetrics
}

export interface DelivererMetrics {
  attemptsUnderWay: number
}

/** Deliveries per transaction: enough to make its cost small, few enough to start within milliseconds. */
const BATCH_CLAIMS = 512
const BATCH_SETTLEMENTS = 512

/** Starting one takes a tenth of a millisecond of CPU. After this many, other work such as requests gets a turn. */
const STARTS_AT_ONCE = 64

/** Another process was claiming for a subscription, and will be done in a moment. */
const MISSED_RETRY_MS = 20

/**
 * A retry due within this time gets its own timer. Later subscriptions are found by the check that runs once a second.
 */
const TIMER_HORIZON_MS = 30_000

const FAILURE_PAUSE_MS = 1000

export function startDeliverer(parts: DelivererParts): Deliverer {
  const { database, config, clock, log, failures, owners } = parts
  const http = createSender(clock, { allowPrivate: config.webhookAllowPrivate, resolve: parts.resolve })
  const { open } = createVault(config.encryptionKey)
  const turns = new FairQueue()
  const shares = new InFlightShares()
  /** Subscriptions that have something due but have used up their share. */
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

  // A share is only reserved until it is known how much of it is needed.
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
    const deliveries = await claimTests(database, clock, owners)
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
        // This process does not know the key that the secret is encrypted with, which is not the receiver's fault. The
        // claim expires, and a process that knows the key makes the attempt.
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
      decodeSecret(open(sealed, secretSealContext(organizationId, webhookId))),
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

  // While one batch is being written the next one fills up, so batches grow with the load.
  async function settleAll(): Promise<void> {
    if (isSettling) return
    isSettling = true
    while (settled.length > 0) {
      const batch = settled.splice(0, BATCH_SETTLEMENTS)
      try {
        const { statuses, disabled, retries } = await settleAttempts(database, config, clock, batch, parts.tellDisabled)
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
        // On shutdown, do not wait for an unavailable database: the claims expire, and the attempts are made again.
        if (isStopped) {
          underWay -= batch.length
          continue
        }
        // Outcomes are not lost: they are recorded when the database is back.
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
    // One timer for the earliest is enough, because that run determines the next one.
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
        const due = await findDueWebhooks(database, clock)
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

// Sorts the organizations with the fewest deliveries first, so that none waits behind all of another's. Each
// subscription's deliveries stay in order.
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
