import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import type { DueSql } from '../due/find-due-jobs.ts'
import type { Clock } from '../runtime/clock.ts'
import type { WebhookName } from './dispatcher.ts'
import type { Owner, Owners } from './owners.ts'
import { FAILURES_UNTIL_DISABLED, FAILURES_UNTIL_PROBING } from './webhook.ts'

/**
 * Claims the deliveries that this process will send. A claim is valid for LEASE_MS. If a process ends abruptly, its
 * claims expire, and another process sends the deliveries.
 *
 * The deliveries of a subscription are claimed while its row is locked, in a statement after the one that locks it.
 * Therefore, all processes together stay within the limits of a subscription: the deliveries in progress can never
 * cause more failures than disable the subscription, and a subscription that is being probed has only one delivery in
 * progress. If another process is claiming deliveries of a subscription, this process skips the subscription and tries
 * again later.
 *
 * There are two reasons for not using a queue library. First, deliveries must be rows in any case, because subscribers
 * can read them. Jobs of a library would be additional rows to write and to keep consistent. Second, no library can
 * limit the deliveries in progress of each subscription, or count failures, in the transaction that claims the work. We
 * compared queues with ten thousand empty jobs, followed by 200 jobs per second, on one PostgreSQL server with two busy
 * cores. A simple SKIP LOCKED loop processed 3,400 jobs per second and started a job after 11 ms (p50). graphile-worker
 * 0.17 with its local queue processed 10,000 jobs per second and started a job after 40 to 290 ms. pg-boss 10, in
 * batches of 50 every half second, processed 95 jobs per second. The throughput does not matter here, because receivers
 * are slower than all of these queues. However, integrators notice the delay before an attempt starts.
 */

/**
 * The duration of a claim in milliseconds. This duration is longer than an attempt (10 s) plus the recording of its
 * outcome, and shorter than half a minute, within which another process must continue the work.
 */
const LEASE_MS = 20_000

/** The maximum number of concurrent test deliveries. All other deliveries have separate limits. */
const MAX_TESTS = 20

/** A delivery that this process has claimed. */
export interface ClaimedDelivery {
  organizationId: string
  id: string
  claimId: string
  webhookId: string
  eventId: string
  test: boolean
  step: number
  /** The number of previous attempts. */
  attemptCount: number
  /** The time of the event; null for a test delivery, which has no event. */
  occurredAt: string | null
  /** The exact bytes of the payload. */
  body: Buffer
  /** Whether the subscription is being probed. If so, this delivery is its only attempt in progress. */
  isProbe: boolean
  destination: Destination
}

/** The URL of a subscription and its signing secrets, as of the claim. */
export interface Destination {
  url: string
  sealedSecrets: string[]
}

export interface Claims {
  deliveries: ClaimedDelivery[]
  /**
   * The subscriptions that have reached their limit. Such a subscription may have more deliveries to claim when one of
   * its deliveries ends.
   */
  full: WebhookName[]
  /**
   * The subscriptions to try again soon, because another process was claiming their deliveries, or because the first
   * deliveries were canceled.
   */
  missed: WebhookName[]
}

/** A subscription whose deliveries will be claimed, and the number of its deliveries that may be in progress. */
export interface Turn extends WebhookName {
  most: number
}

export interface ClaimParts {
  database: Database
  clock: Clock
  owners: Owners
}

export function claimDeliveries({ database, clock, owners }: ClaimParts, webhooks: Turn[]): Promise<Claims> {
  return database.transaction(async (trx) => {
    const now = clock.now()
    // The commit does not wait for the disk. If a crash of the database loses the claim, the deliveries are claimed
    // again.
    await sql`set local synchronous_commit = off`.execute(trx)
    const claims: Claims = { deliveries: [], full: [], missed: [] }
    for (const [organizationId, own] of Map.groupBy(webhooks, (webhook) => webhook.organizationId)) {
      const { deliveries, full, missed } = await claimForOrganization({ trx, organizationId, owners, now }, own)
      claims.deliveries.push(...deliveries)
      claims.full.push(...full)
      claims.missed.push(...missed)
    }
    return claims
  })
}

/** The transaction that claims deliveries, and the organization in whose rows it searches. */
interface Claiming {
  trx: Db
  organizationId: string
  owners: Owners
  now: Date
}

async function claimForOrganization(claiming: Claiming, webhooks: Turn[]): Promise<Claims> {
  const { now } = claiming
  const locked = await lockSubscriptions(claiming, webhooks, sql`for no key update of w skip locked`)
  const names = new Set(locked.map((row) => row.webhookId))
  const missed = webhooks.filter(({ webhookId }) => !names.has(webhookId))
  const open = locked.filter((row) => canSendNow(row, now))
  const underWay = await countInFlight(claiming, open)
  const shares = new Map(webhooks.map(({ webhookId, most }) => [webhookId, most]))
  const turns = open.map((row) => ({
    ...row,
    limit: inFlightLimit(row, shares.get(row.webhookId) ?? 1) - (underWay.get(row.webhookId) ?? 0),
  }))
  const taken = await claimRows(
    claiming,
    turns.filter((turn) => turn.limit > 0),
  )
  const { sendable, cancelled } = await cancelUnreadable(claiming, taken, turns)
  const counts = Map.groupBy(taken, (row) => row.webhookId)
  const full = turns.filter(
    ({ webhookId, limit }) => !cancelled.has(webhookId) && (counts.get(webhookId)?.length ?? 0) >= limit,
  )
  const again = turns.filter(({ webhookId }) => cancelled.has(webhookId))
  const deliveries = await toClaimedDeliveries(claiming, sendable, turns)
  return { deliveries, full, missed: [...missed, ...again] }
}

// Cancels a delivery without sending it if the owner has lost the required permission since the delivery was queued.
async function cancelUnreadable(
  { trx, organizationId, owners, now }: Claiming,
  taken: ClaimedRow[],
  webhooks: Subscription[],
): Promise<{ sendable: ClaimedRow[]; cancelled: Set<string> }> {
  const byId = new Map(webhooks.map((webhook) => [webhook.webhookId, webhook]))
  const mayGo = ({ webhookId, eventType, permissions }: ClaimedRow) => {
    const webhook = byId.get(webhookId)
    return webhook !== undefined && owners.mayRead(webhook, eventType, permissions)
  }
  const unreadable = taken.filter((row) => !mayGo(row))
  if (unreadable.length === 0) return { sendable: taken, cancelled: new Set() }
  await sql`
    update "deliveries" d set "status" = 'cancelled', "claimedUntil" = null, "claimId" = null, "updatedAt" = ${now.toISOString()}
    where d."organizationId" = ${organizationId} and d."id" = any(${unreadable.map((row) => row.id)}::text[])`.execute(
    trx,
  )
  return { sendable: taken.filter(mayGo), cancelled: new Set(unreadable.map(({ webhookId }) => webhookId)) }
}

/**
 * Claims test deliveries. A test delivery is sent once, whatever the state of its subscription is, and does not change
 * that state.
 */
export async function claimTestDeliveries(
  database: Database,
  clock: Clock,
  owners: Owners,
): Promise<ClaimedDelivery[]> {
  return database.transaction(async (trx) => {
    const now = clock.now()
    const due = isTestDue(now)
    const { rows: tests } = await sql<{ organizationId: string; id: string }>`
      select "organizationId", "id" from "deliveries" where ${due} order by "nextAttemptAt" limit ${MAX_TESTS}`.execute(
      trx,
    )
    const claimed: ClaimedDelivery[] = []
    for (const [organizationId, own] of Map.groupBy(tests, (row) => row.organizationId)) {
      const { rows: taken } = await sql<ClaimedRow>`
        update "deliveries" d set "claimedUntil" = ${leaseUntil(now)}, "claimId" = ${randomUUID()}
        where d."organizationId" = ${organizationId} and d."id" = any(array(
          select "id" from "deliveries"
          where "organizationId" = ${organizationId} and "id" = any(${own.map(({ id }) => id)}::text[]) and ${due}
          for update skip locked
        ))
        returning ${CLAIMED_COLUMNS}`.execute(trx)
      if (taken.length === 0) continue
      const claiming = { trx, organizationId, owners, now }
      claimed.push(...(await toClaimedDeliveries(claiming, taken, await lockSubscriptions(claiming, taken, sql``))))
    }
    return claimed
  })
}

/**
 * Releases the claims of processes that have ended, and returns all subscriptions with deliveries that are currently
 * due. This also finds work that nothing has announced in this process, such as retries that have become due, and work
 * of other processes.
 */
export async function releaseClaimsAndFindDueWebhooks(database: Database, clock: Clock): Promise<WebhookName[]> {
  const now = clock.now()
  const lapsed = isClaimLapsed(now)
  const { rows: dead } = await sql<{ organizationId: string }>`
    select distinct "organizationId" from "deliveries" where ${lapsed}`.execute(database.statements)
  for (const { organizationId } of dead) {
    await sql`
      update "deliveries" set "claimedUntil" = null where "organizationId" = ${organizationId} and "id" = any(array(
        select "id" from "deliveries" where "organizationId" = ${organizationId} and ${lapsed} for update skip locked
      ))`.execute(database.statements)
  }
  const { rows } = await sql<WebhookName>`
    select w."organizationId", w."id" as "webhookId" from ${activeWebhooksWithDue(now)}`.execute(database.statements)
  return rows
}

const isClaimLapsed = (now: Date) => sql`"claimedUntil" is not null and "claimedUntil" < ${now.toISOString()}`

const isTestDue = (now: Date) =>
  sql`"test" and "status" = 'pending' and "claimedUntil" is null and "nextAttemptAt" <= ${now.toISOString()}`

// Finds the subscriptions with one index lookup each. The cost does not depend on the number of pending deliveries.
const activeWebhooksWithDue = (now: Date) => sql`"webhooks" w
  cross join lateral (
    select 1 from "deliveries" d
    where d."organizationId" = w."organizationId" and d."webhookId" = w."id" and d."status" = 'pending'
      and not d."test" and d."claimedUntil" is null and d."nextAttemptAt" <= ${now.toISOString()}
    limit 1
  ) due
  where w."status" = 'active' and w."archivedAt" is null
    and (w."pausedUntil" is null or w."pausedUntil" <= ${now.toISOString()})`

/**
 * SQL for three kinds of work: deliveries to send, test deliveries to send, and claims of processes that have ended.
 */
export const toDueDeliveriesSql: DueSql = (now) => sql`
  select w."organizationId" from ${activeWebhooksWithDue(now)}
  union all select "organizationId" from "deliveries" where ${isTestDue(now)}
  union all select "organizationId" from "deliveries" where ${isClaimLapsed(now)}`

interface Subscription extends WebhookName, Owner {
  url: string
  secret: string | null
  previousSecret: string | null
  previousSecretExpiresAt: string | null
  status: string
  archivedAt: string | null
  consecutiveFailures: number
  pausedUntil: string | null
}

async function lockSubscriptions(
  { trx, organizationId, owners, now }: Claiming,
  webhooks: WebhookName[],
  lock: RawBuilder<unknown>,
): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select w."organizationId", w."id" as "webhookId", w."url", w."secret", w."previousSecret", w."previousSecretExpiresAt",
      w."status", w."archivedAt", w."consecutiveFailures", w."pausedUntil", ${owners.columns(now)}
    from "webhooks" w ${owners.joins}
    where w."organizationId" = ${organizationId} and w."id" = any(${webhooks.map((webhook) => webhook.webhookId)}::text[])
    ${lock}`.execute(trx)
  return rows
}

function canSendNow(webhook: Subscription, now: Date): boolean {
  const isPaused = webhook.pausedUntil !== null && Date.parse(webhook.pausedUntil) > now.getTime()
  return webhook.status === 'active' && webhook.archivedAt === null && !isPaused && !webhook.isOwnerGone
}

function inFlightLimit({ consecutiveFailures }: Subscription, max: number): number {
  if (consecutiveFailures >= FAILURES_UNTIL_PROBING) return 1
  return Math.min(max, FAILURES_UNTIL_DISABLED - consecutiveFailures)
}

// Does not count expired claims, because they belong to processes that have ended.
async function countInFlight(
  { trx, organizationId, now }: Claiming,
  webhooks: Subscription[],
): Promise<Map<string, number>> {
  if (webhooks.length === 0) return new Map()
  const { rows } = await sql<{ webhookId: string; count: number }>`
    select d."webhookId", count(*)::int as "count" from "deliveries" d
    where d."organizationId" = ${organizationId} and d."webhookId" = any(${webhooks.map((webhook) => webhook.webhookId)}::text[])
      and d."claimedUntil" > ${now.toISOString()} and not d."test"
    group by d."webhookId"`.execute(trx)
  return new Map(rows.map((row) => [row.webhookId, row.count]))
}

interface ClaimedRow extends WebhookName {
  id: string
  eventId: string
  eventType: string
  claimId: string
  step: number
  attemptCount: number
  test: boolean
  testPayload: string | null
  /** The permissions that are required to read the event in addition to the permission of its type. */
  permissions: string[] | null
}

const CLAIMED_COLUMNS = sql`d."organizationId", d."id", d."webhookId", d."eventId", d."eventType", d."claimId", d."step", d."attemptCount", d."test", d."payload"::text as "testPayload",
  (select e."permissions" from "events" e where e."organizationId" = d."organizationId" and e."id" = d."eventId") as "permissions"`

// Claims deliveries in the order in which they are sent: longest overdue first, and then in the order of their events.
async function claimRows(
  { trx, organizationId, now }: Claiming,
  turns: (Subscription & { limit: number })[],
): Promise<ClaimedRow[]> {
  const ids: string[] = []
  for (const { webhookId, limit } of turns) {
    const { rows } = await sql<{ id: string }>`
      select "id" from "deliveries"
      where "organizationId" = ${organizationId} and "webhookId" = ${webhookId}
        and "status" = 'pending' and not "test" and "claimedUntil" is null and "nextAttemptAt" <= ${now.toISOString()}
      order by "nextAttemptAt", "sequence" limit ${limit} for update skip locked`.execute(trx)
    ids.push(...rows.map(({ id }) => id))
  }
  if (ids.length === 0) return []
  const { rows } = await sql<DuePosition>`
    update "deliveries" d set "claimedUntil" = ${leaseUntil(now)}, "claimId" = ${randomUUID()}
    where d."organizationId" = ${organizationId} and d."id" = any(${ids}::text[])
    returning ${CLAIMED_COLUMNS}, d."sequence", d."nextAttemptAt"`.execute(trx)
  return rows.sort((one, other) => compare(one.nextAttemptAt, other.nextAttemptAt) || one.sequence - other.sequence)
}

interface DuePosition extends ClaimedRow {
  sequence: number
  nextAttemptAt: string
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function leaseUntil(now: Date): string {
  return new Date(now.getTime() + LEASE_MS).toISOString()
}

// Reads each payload only once, even if it is sent to several subscriptions.
async function toClaimedDeliveries(
  claiming: Claiming,
  rows: ClaimedRow[],
  webhooks: Subscription[],
): Promise<ClaimedDelivery[]> {
  if (rows.length === 0) return []
  const events = await findEvents(
    claiming,
    rows.filter((row) => !row.test),
  )
  const byId = new Map(webhooks.map((webhook) => [webhook.webhookId, webhook]))
  return rows.flatMap(({ testPayload, ...row }) => {
    const webhook = byId.get(row.webhookId)
    const event = testPayload === null ? events.get(row.eventId) : { body: Buffer.from(testPayload), occurredAt: null }
    if (webhook === undefined || event === undefined) return []
    const isProbe = webhook.consecutiveFailures >= FAILURES_UNTIL_PROBING
    return [
      {
        ...row,
        ...event,
        isProbe,
        destination: { url: webhook.url, sealedSecrets: openSecrets(webhook, claiming.now) },
      },
    ]
  })
}

async function findEvents(
  { trx, organizationId }: Claiming,
  rows: ClaimedRow[],
): Promise<Map<string, { body: Buffer; occurredAt: string }>> {
  const ids = [...new Set(rows.map(({ eventId }) => eventId))]
  if (ids.length === 0) return new Map()
  const { rows: found } = await sql<{ id: string; payload: string; occurredAt: string }>`
    select e."id", e."payload", e."occurredAt" from "events" e
    where e."organizationId" = ${organizationId} and e."id" = any(${ids}::text[])`.execute(trx)
  return new Map(found.map(({ id, payload, occurredAt }) => [id, { body: Buffer.from(payload), occurredAt }]))
}

// Returns the current secret first, so that a receiver with this secret needs only one comparison.
function openSecrets(webhook: Subscription, now: Date): string[] {
  const { secret, previousSecret, previousSecretExpiresAt: expiry } = webhook
  const isOverlapping = expiry !== null && Date.parse(expiry) > now.getTime()
  return [secret, isOverlapping ? previousSecret : null].filter((sealed) => sealed !== null)
}
