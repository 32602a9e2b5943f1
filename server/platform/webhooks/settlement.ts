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
 * Records the outcome of attempts in one statement: the attempts, the state of their deliveries, and the failure counts
 * of their subscriptions are written together or not at all.
 *
 * The count is exact however many processes settle at once: it is incremented in the database under the row lock, and
 * the 50th failure disables the subscription in the same statement. If the claim was lost meanwhile, the attempt is
 * still recorded, but the delivery does not change because another process has it.
 */
export interface EndedAttempt {
  claimed: ClaimedDelivery
  outcome: AttemptOutcome
}

export interface Settlement {
  /** The resulting status of each delivery, in the order of the attempts. */
  statuses: SettlementRow['status'][]
  /** The subscriptions that this settlement disabled. */
  disabled: DisabledWebhook[]
  /** When subscriptions next have something to send. */
  retries: (WebhookName & { atMs: number })[]
}

export interface DisabledWebhook extends WebhookName {
  reason: Exclude<WebhookDisabledReason, 'requested'>
}

/** Notifies the builders, in the transaction that disables their subscriptions. Returns what to do after its commit. */
export type TellDisabled = (trx: Db, disabled: DisabledWebhook[]) => Promise<() => void>

export async function settleAttempts(
  database: Database,
  config: Config,
  clock: Clock,
  settled: EndedAttempt[],
  tellDisabled: TellDisabled,
): Promise<Settlement> {
  const now = sql`${clock.now().toISOString()}::timestamptz`
  const rows = settled.map((one) => toRow(one, config))
  const effects = summarizeEffects(settled.filter(({ claimed }) => !claimed.test))
  const each = <Field extends keyof SettlementRow>(field: Field) => rows.map((row) => row[field])
  const all = <Field extends keyof WebhookEffect>(field: Field) => effects.map((effect) => effect[field])
  let afterCommit = () => {}
  const settlement = await database.transaction(async (trx) => {
    const { rows: changed } = await sql<ChangedWebhook>`
      with s as (
        select * from unnest(
          ${each('organizationId')}::text[], ${each('deliveryId')}::text[], ${each('claimId')}::text[], ${each('attemptId')}::text[],
          ${each('url')}::text[], ${each('attemptedAt')}::timestamptz[], ${each('durationMs')}::int[], ${each('outcome')}::text[],
          ${each('responseStatus')}::int[], ${each('responseBody')}::text[], ${each('error')}::text[],
          ${each('status')}::text[], ${each('nextAttemptAt')}::timestamptz[]
        ) as s ("organizationId", "deliveryId", "claimId", "attemptId", "url", "attemptedAt", "durationMs", "outcome",
          "responseStatus", "responseBody", "error", "status", "nextAttemptAt")
      ), e as (
        select * from unnest(
          ${all('organizationId')}::text[], ${all('webhookId')}::text[], ${all('failuresFirst')}::int[], ${all('succeeded')}::bool[],
          ${all('failuresLast')}::int[], ${all('probes')}::int[], ${all('gone')}::bool[], ${all('patienceSeconds')}::float8[]
        ) as e ("organizationId", "webhookId", "failuresFirst", "succeeded", "failuresLast", "probes", "gone", "patienceSeconds")
      ), locked as materialized (
        -- What changes is locked before anything else, and always in the same order. A success of a healthy
        -- subscription changes nothing about it.
        select w."consecutiveFailures", w."failedProbes", w."pausedUntil", e.*
        from "webhooks" w join e on e."organizationId" = w."organizationId" and e."webhookId" = w."id"
        where w."status" = 'active' and (e."failuresFirst" + e."failuresLast" > 0 or w."consecutiveFailures" > 0)
        order by w."organizationId", w."id" for no key update of w
      ), counted as (
        select l.*,
          case when l."succeeded" then l."failuresLast" else l."consecutiveFailures" + l."failuresFirst" end as "count",
          case when l."succeeded" then 0 else l."failedProbes" + l."probes" end as "probeCount",
          case when l."gone" then 'gone'
            when l."consecutiveFailures" + l."failuresFirst" >= ${FAILURES_UNTIL_DISABLED} then 'failures' end as "reason"
        from locked l
      ), changed as (
        update "webhooks" w set
          "consecutiveFailures" = c."count",
          "failedProbes" = case when c."count" < ${FAILURES_UNTIL_PROBING} then 0 else c."probeCount" end,
          "pausedUntil" = case
            when c."reason" is not null or c."count" < ${FAILURES_UNTIL_PROBING} then null
            when c."pausedUntil" is not null and c."probes" = 0 and not c."succeeded" then c."pausedUntil"
            else ${now} + make_interval(secs => greatest(c."patienceSeconds",
              least(${FIRST_PROBE_SECONDS} * power(2, least(c."probeCount", 30)), ${config.webhookProbeMaxSeconds}))) end,
          "status" = case when c."reason" is null then 'active' else 'disabled' end,
          "disabledReason" = c."reason",
          "disabledAt" = case when c."reason" is not null then ${now} end,
          "version" = w."version" + 1,
          "updatedAt" = ${now}
        from counted c where w."organizationId" = c."organizationId" and w."id" = c."webhookId"
        returning w."organizationId", w."id" as "webhookId", c."reason", w."pausedUntil"
      ), moved as (
        update "deliveries" d set
          "status" = s."status", "step" = d."step" + 1, "attemptCount" = d."attemptCount" + 1,
          "nextAttemptAt" = coalesce(s."nextAttemptAt", d."nextAttemptAt"), "claimedUntil" = null, "claimId" = null,
          "lastAttemptAt" = s."attemptedAt", "responseStatus" = s."responseStatus", "error" = s."error", "updatedAt" = ${now}
        from s, (select count(*) from locked) first
        where d."organizationId" = s."organizationId" and d."id" = s."deliveryId" and d."claimId" = s."claimId"
      ), recorded as (
        insert into "deliveryAttempts" ("organizationId", "id", "deliveryId", "url", "attemptedAt", "durationMs", "outcome", "responseStatus", "responseBody", "error")
        select s."organizationId", s."attemptId", s."deliveryId", s."url", s."attemptedAt", s."durationMs", s."outcome", s."responseStatus", s."responseBody", s."error"
        from s join "deliveries" d on d."organizationId" = s."organizationId" and d."id" = s."deliveryId"
      )
      select * from changed`.execute(trx)
    const disabled = changed.flatMap(({ organizationId, webhookId, reason }) =>
      reason === null ? [] : [{ organizationId, webhookId, reason }],
    )
    if (disabled.length > 0) afterCommit = await tellDisabled(trx, disabled)
    return { statuses: rows.map(({ status }) => status), disabled, retries: listRetries(rows, changed) }
  })
  afterCommit()
  return settlement
}

interface ChangedWebhook extends WebhookName {
  reason: DisabledWebhook['reason'] | null
  pausedUntil: string | null
}

// A paused subscription has nothing to send until its pause is over.
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

/** The effect of a series of attempts, in the order in which they ended, on the failure count of one subscription. */
interface WebhookEffect {
  organizationId: string
  webhookId: string
  /** Failures before the first success, or all of them if there was none. */
  failuresFirst: number
  succeeded: boolean
  /** Failures after the last success. */
  failuresLast: number
  /** Number of failures that were probes. */
  probes: number
  gone: boolean
  /** The longest wait that the receiver asked for. */
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
