import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Webhook } from '../../client/contract.gen.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/database.ts'
import type { Claimed } from './claims.ts'
import { nextAttemptAtMs } from './retry-schedule.ts'
import type { Outcome } from './sender.ts'
import { FAILURES_UNTIL_DISABLED, FAILURES_UNTIL_PROBING, FIRST_PROBE_SECONDS } from './webhook.ts'

/**
 * What became of attempts, written down in one statement: the attempts, the state of their deliveries, and the count of
 * failures of their subscriptions all hold, or none.
 *
 * The count is exact however many processes settle at once: it is raised in the database, under the lock of the row, and
 * the failure that makes it 50 disables the subscription in the same statement. A claim that was lost meanwhile still
 * leaves its attempt in the record, but does not touch the delivery, which is in other hands.
 */
export interface Settled {
  claimed: Claimed
  outcome: Outcome
}

export interface Disabled {
  organizationId: string
  webhookId: string
  reason: Webhook['disabledReason']
}

export async function settle(database: Database, config: Config, clock: Clock, settled: Settled[]): Promise<Disabled[]> {
  const now = clock.now().toISOString()
  const rows = settled.map((one) => toRow(one, config))
  const effects = effectsOf(settled.filter(({ claimed }) => !claimed.test))
  const column = <Field extends keyof Row>(field: Field) => rows.map((row) => row[field])
  const effect = <Field extends keyof Effect>(field: Field) => effects.map((one) => one[field])
  return database.transaction(async (trx) => {
    const { rows: disabled } = await sql<Disabled>`
      with "settled" as (
        select * from unnest(
          ${column('organizationId')}::text[], ${column('deliveryId')}::text[], ${column('claimId')}::text[], ${column('attemptId')}::text[],
          ${column('url')}::text[], ${column('attemptedAt')}::timestamptz[], ${column('durationMs')}::int[], ${column('outcome')}::text[],
          ${column('responseStatus')}::int[], ${column('responseBody')}::text[], ${column('error')}::text[],
          ${column('status')}::text[], ${column('nextAttemptAt')}::timestamptz[]
        ) as s ("organizationId", "deliveryId", "claimId", "attemptId", "url", "attemptedAt", "durationMs", "outcome",
          "responseStatus", "responseBody", "error", "status", "nextAttemptAt")
      ), "effects" as (
        select * from unnest(
          ${effect('organizationId')}::text[], ${effect('webhookId')}::text[], ${effect('failuresFirst')}::int[], ${effect('succeeded')}::bool[],
          ${effect('failuresLast')}::int[], ${effect('failedProbes')}::int[], ${effect('gone')}::bool[], ${effect('retryAfterSeconds')}::float8[]
        ) as e ("organizationId", "webhookId", "failuresFirst", "succeeded", "failuresLast", "failedProbes", "gone", "retryAfterSeconds")
      ), "locked" as (
        -- Only what changes is locked, and by everybody in one order. A success of a healthy subscription changes nothing.
        select w."organizationId", w."id", w."consecutiveFailures", w."failedProbes", w."pausedUntil", e.*
        from "webhooks" w
        join "effects" e on e."organizationId" = w."organizationId" and e."webhookId" = w."id"
        where w."status" = 'active' and (e."failuresFirst" + e."failuresLast" > 0 or w."consecutiveFailures" > 0)
        order by w."organizationId", w."id" for no key update of w
      ), "counted" as (
        select *, case when "succeeded" then "failuresLast" else "consecutiveFailures" + "failuresFirst" end as "count",
          case when "succeeded" then 0 else "failedProbes0" + "probes" end as "probeCount",
          "consecutiveFailures" + "failuresFirst" >= ${FAILURES_UNTIL_DISABLED} or "gone" as "disables"
        from (
          select l."organizationId" as "organizationId0", l."id" as "id0", l."consecutiveFailures", l."failedProbes0", l."pausedUntil",
            l."failuresFirst", l."succeeded", l."failuresLast", l."probes", l."gone", l."retryAfterSeconds"
          from "locked" l
        ) x
      )
      select 1`.execute(trx)
    return disabled
  })
}
