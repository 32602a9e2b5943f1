import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { WebhookDisabledReason } from '../../../client/contract.gen.ts'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'
import type { ClaimedDelivery } from './claims.ts'
import type { WebhookName } from './dispatcher.ts'
import { computeNextAttemptMs } from './retry-schedule.ts'
import type { AttemptOutcome } from './sender.ts'
import { FAILURES_UNTIL_DISABLED, FAILURES_UNTIL_PROBING, FIRST_PROBE_SECONDS } from './webhook.ts'

/**
 * Records the outcomes of attempts. One transaction stores the attempts, the states of their deliveries, and the
 * failure counts of their subscriptions.
 *
 * The failure count is exact even if several processes record outcomes concurrently: the database increments it while
 * the row is locked, and the same statement disables the subscription at the 50th failure. If the claim has expired and
 * another process has claimed the delivery, the attempt is still recorded, but the delivery does not change.
 */
export interface EndedAttempt {
  claimed: ClaimedDelivery
  outcome: AttemptOutcome
}

export interface Settlement {
  /** The new status of each delivery, in the order of the attempts. */
  statuses: SettlementRow['status'][]
  /** The subscriptions that were disabled because of these outcomes. */
  disabled: DisabledWebhook[]
  /** The subscriptions with further deliveries to send, and the time of the next delivery of each. */
  retries: (WebhookName & { atMs: number })[]
}

export interface DisabledWebhook extends WebhookName {
  reason: Exclude<WebhookDisabledReason, 'requested'>
}

/**
 * Notifies the builders in the transaction that disables their subscriptions. Returns a function that must be called
 * after the commit.
 */
export type TellDisabled = (trx: Db, disabled: DisabledWebhook[]) => Promise<() => void>

export async function storeAttemptOutcomes(
  database: Database,
  config: Config,
  clock: Clock,
  settled: EndedAttempt[],
  tellDisabled: TellDisabled,
): Promise<Settlement> {
  const now = clock.now()
  const rows = settled.map((one) => toRow(one, config))
  const effects = Map.groupBy(
    summarizeEffects(settled.filter(({ claimed }) => !claimed.test)),
    ({ organizationId }) => organizationId,
  )
  const organizations = [...Map.groupBy(rows, ({ organizationId }) => organizationId)]
  // All processes lock in the same order, so that they cannot deadlock.
  organizations.sort(([one], [other]) => (one < other ? -1 : 1))
  let afterCommit = () => {}
  const settlement = await database.transaction(async (trx) => {
    const changed: ChangedWebhook[] = []
    for (const [organizationId, own] of organizations) {
      const settling = { trx, organizationId, now, maxPauseSeconds: config.webhookProbeMaxSeconds }
      changed.push(...(await applyEffects(settling, effects.get(organizationId) ?? [])))
      await recordAttempts(settling, own)
    }
    const disabled = changed.flatMap(({ organizationId, webhookId, reason }) =>
      reason === null ? [] : [{ organizationId, webhookId, reason }],
    )
    if (disabled.length > 0) afterCommit = await tellDisabled(trx, disabled)
    return { statuses: rows.map(({ status }) => status), disabled, retries: listRetries(rows, changed) }
  })
  afterCommit()
  return settlement
}

/** The transaction that records outcomes, and the organization whose rows it changes. */
interface Settling {
  trx: Db
  organizationId: string
  now: Date
  maxPauseSeconds: number
}

interface CountedWebhook {
  id: string
  consecutiveFailures: number
  failedProbes: number
  pausedUntil: string | null
}

/** Updates the failure counts of the organization's subscriptions. Returns the subscriptions that have changed. */
async function applyEffects(settling: Settling, effects: readonly WebhookEffect[]): Promise<ChangedWebhook[]> {
  if (effects.length === 0) return []
  const { trx, organizationId, now } = settling
  const failedIds = effects.flatMap((effect) =>
    effect.failuresFirst + effect.failuresLast > 0 ? effect.webhookId : [],
  )
  // If a subscription had no failures, a success does not change it.
  const { rows: locked } = await sql<CountedWebhook>`
    select "id", "consecutiveFailures", "failedProbes", "pausedUntil" from "webhooks"
    where "organizationId" = ${organizationId} and "id" = any(${effects.map(({ webhookId }) => webhookId)}::text[])
      and "status" = 'active' and ("consecutiveFailures" > 0 or "id" = any(${failedIds}::text[]))
    order by "id" for no key update`.execute(trx)
  const changed: ChangedWebhook[] = []
  for (const webhook of locked) {
    const effect = effects.find(({ webhookId }) => webhookId === webhook.id)
    if (effect === undefined) continue
    const { reason, ...counts } = planCounts(webhook, effect, settling)
    await trx
      .updateTable('webhooks')
      .set((set) => ({
        ...counts,
        status: reason === null ? 'active' : 'disabled',
        disabledReason: reason,
        disabledAt: reason === null ? null : now,
        version: set('version', '+', 1),
        updatedAt: now,
      }))
      .where('organizationId', '=', organizationId)
      .where('id', '=', webhook.id)
      .execute()
    changed.push({ organizationId, webhookId: webhook.id, reason, pausedUntil: counts.pausedUntil })
  }
  return changed
}

/** Returns the counts of a subscription after its attempts, and the reason to disable it; null if it stays active. */
function planCounts(
  webhook: CountedWebhook,
  effect: WebhookEffect,
  { now, maxPauseSeconds }: Settling,
): Omit<CountedWebhook, 'id'> & { reason: DisabledWebhook['reason'] | null } {
  const failuresBefore = webhook.consecutiveFailures + effect.failuresFirst
  const consecutiveFailures = effect.succeeded ? effect.failuresLast : failuresBefore
  const probes = effect.succeeded ? 0 : webhook.failedProbes + effect.probes
  const isProbed = consecutiveFailures >= FAILURES_UNTIL_PROBING
  const hasTooManyFailures = failuresBefore >= FAILURES_UNTIL_DISABLED
  const reason: DisabledWebhook['reason'] | null = effect.gone ? 'gone' : hasTooManyFailures ? 'failures' : null
  const counts = { consecutiveFailures, failedProbes: isProbed ? probes : 0, reason }
  if (reason !== null || !isProbed) return { ...counts, pausedUntil: null }
  // Attempts that started before the pause do not extend it.
  if (webhook.pausedUntil !== null && effect.probes === 0 && !effect.succeeded)
    return { ...counts, pausedUntil: webhook.pausedUntil }
  const pauseSeconds = Math.min(FIRST_PROBE_SECONDS * 2 ** Math.min(probes, 30), maxPauseSeconds)
  const pauseMs = Math.max(effect.patienceSeconds, pauseSeconds) * 1000
  return { ...counts, pausedUntil: new Date(now.getTime() + pauseMs).toISOString() }
}

/** Records the attempts, and updates the deliveries whose claims this process still holds. */
async function recordAttempts({ trx, organizationId, now }: Settling, rows: readonly SettlementRow[]): Promise<void> {
  const column = <Field extends keyof SettlementRow>(field: Field) => rows.map((row) => row[field])
  await sql`
    update "deliveries" d set
      "status" = s."status", "step" = d."step" + 1, "attemptCount" = d."attemptCount" + 1,
      "nextAttemptAt" = coalesce(s."nextAttemptAt", d."nextAttemptAt"), "claimedUntil" = null, "claimId" = null,
      "lastAttemptAt" = s."attemptedAt", "responseStatus" = s."responseStatus", "error" = s."error",
      "updatedAt" = ${now.toISOString()}::timestamptz
    from unnest(
      ${column('deliveryId')}::text[], ${column('claimId')}::text[], ${column('attemptedAt')}::timestamptz[],
      ${column('responseStatus')}::int[], ${column('error')}::text[], ${column('status')}::text[],
      ${column('nextAttemptAt')}::timestamptz[]
    ) as s ("deliveryId", "claimId", "attemptedAt", "responseStatus", "error", "status", "nextAttemptAt")
    where d."organizationId" = ${organizationId} and d."id" = s."deliveryId" and d."claimId" = s."claimId"`.execute(trx)
  // A delivery may have been deleted in the meantime.
  const existing = await sql<{ id: string }>`
    select "id" from "deliveries"
    where "organizationId" = ${organizationId} and "id" = any(${column('deliveryId')}::text[])
    order by "id" for key share`.execute(trx)
  const ids = new Set(existing.rows.map(({ id }) => id))
  const attempts = rows
    .filter(({ deliveryId }) => ids.has(deliveryId))
    .map(({ attemptId, ...row }) => ({ ...row, id: attemptId }))
  await sql`
    insert into "deliveryAttempts" (${ATTEMPT_COLUMNS})
    select ${ATTEMPT_COLUMNS} from json_populate_recordset(null::"deliveryAttempts", ${JSON.stringify(attempts)}::json)`.execute(
    trx,
  )
}

interface ChangedWebhook extends WebhookName {
  reason: DisabledWebhook['reason'] | null
  pausedUntil: string | null
}

const ATTEMPT_COLUMNS = sql.join(
  [
    ...['organizationId', 'id', 'deliveryId', 'url', 'attemptedAt', 'durationMs', 'outcome'],
    ...['responseStatus', 'responseBody', 'error'],
  ].map((column) => sql.id(column)),
)

// Returns the next retries. Omits paused subscriptions, which send nothing until the pause ends.
function listRetries(rows: SettlementRow[], changed: ChangedWebhook[]): Settlement['retries'] {
  const pauses = new Map(
    changed.map(({ webhookId, pausedUntil }) => [webhookId, pausedUntil === null ? 0 : Date.parse(pausedUntil)]),
  )
  return rows.flatMap(({ organizationId, webhookId, nextAttemptAt }) => {
    const atMs = pauses.get(webhookId) || (nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt))
    return atMs > 0 ? [{ organizationId, webhookId, atMs }] : []
  })
}

interface SettlementRow {
  organizationId: string
  webhookId: string
  deliveryId: string
  claimId: string
  attemptId: string
  url: string
  attemptedAt: string
  durationMs: number
  outcome: string
  responseStatus: number | null
  responseBody: string | null
  error: string | null
  status: 'pending' | 'succeeded' | 'exhausted'
  nextAttemptAt: string | null
}

function toRow({ claimed, outcome }: EndedAttempt, config: Config): SettlementRow {
  const nextAttemptAt = outcome.kind === 'succeeded' || claimed.test ? null : planRetry(claimed, outcome, config)
  return {
    organizationId: claimed.organizationId,
    webhookId: claimed.webhookId,
    deliveryId: claimed.id,
    claimId: claimed.claimId,
    attemptId: typeid('att').toString(),
    url: claimed.destination.url,
    attemptedAt: new Date(outcome.startedAtMs).toISOString(),
    durationMs: Math.round(outcome.durationMs),
    outcome: outcome.kind,
    responseStatus: outcome.responseStatus,
    responseBody: outcome.responseBody,
    error: outcome.error,
    status: outcome.kind === 'succeeded' ? 'succeeded' : nextAttemptAt === null ? 'exhausted' : 'pending',
    nextAttemptAt,
  }
}

function planRetry(claimed: ClaimedDelivery, outcome: AttemptOutcome, config: Config): string | null {
  const endedAtMs = outcome.startedAtMs + outcome.durationMs
  const failure = { attempts: claimed.step + 1, endedAtMs, retryAfterMs: outcome.retryAfterMs }
  const next = computeNextAttemptMs(config.webhookRetrySchedule, failure)
  return next === null ? null : new Date(next).toISOString()
}

/**
 * The effect of a series of attempts on the failure count of a subscription. The attempts are in the order in which
 * they ended.
 */
interface WebhookEffect {
  organizationId: string
  webhookId: string
  /** The number of failures before the first success, or of all failures if there was no success. */
  failuresFirst: number
  succeeded: boolean
  /** The number of failures after the last success. */
  failuresLast: number
  /** The number of failures that were probes. */
  probes: number
  gone: boolean
  /** The longest wait that the receiver requested, in seconds. */
  patienceSeconds: number
}

const GONE_STATUS = 410

function summarizeEffects(settled: EndedAttempt[]): WebhookEffect[] {
  const effects = new Map<string, WebhookEffect>()
  for (const { claimed, outcome } of settled) {
    const { organizationId, webhookId, isProbe } = claimed
    const none = {
      organizationId,
      webhookId,
      failuresFirst: 0,
      succeeded: false,
      failuresLast: 0,
      probes: 0,
      gone: false,
      patienceSeconds: 0,
    }
    const effect = effects.get(webhookId) ?? none
    effects.set(webhookId, effect)
    if (outcome.kind === 'succeeded') {
      effect.succeeded = true
      effect.failuresLast = 0
      continue
    }
    if (effect.succeeded) effect.failuresLast++
    else effect.failuresFirst++
    if (isProbe) effect.probes++
    effect.gone ||= outcome.responseStatus === GONE_STATUS
    effect.patienceSeconds = Math.max(effect.patienceSeconds, (outcome.retryAfterMs ?? 0) / 1000)
  }
  return [...effects.values()]
}
