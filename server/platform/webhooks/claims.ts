import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Db } from '../database/database.ts'
import type { Clock } from '../runtime/clock.ts'
import type { WebhookName } from './dispatcher.ts'
import type { Owner, Owners } from './owners.ts'
import { FAILURES_UNTIL_DISABLED, FAILURES_UNTIL_PROBING } from './webhook.ts'

/**
 * Claims deliveries for sending. A claim is valid for LEASE_MS. If a process ends abruptly, its claims expire and
 * another process continues.
 *
 * Claims for a subscription are decided under its row lock, in a statement after the one that took the lock, so that
 * all processes together respect its limits: never more in progress than could disable it, and one at a time while it
 * is being probed. A subscription that another process is claiming for is skipped and tried again later.
 *
 * There are two reasons against a queue library. Deliveries must be rows anyway, because subscribers read them, so a
 * library's job would be a second row to write and keep in sync. And no library limits what is in progress per
 * subscription, or counts failures, in the transaction that claims the work. Measured with ten thousand empty jobs,
 * then 200 a second, on one PostgreSQL and two busy cores: a plain SKIP LOCKED loop took 3,400 a second and started one
 * after 11 ms (p50), graphile-worker 0.17 with its local queue 10,000 and 40 to 290 ms, pg-boss 10 in batches of 50
 * every half second 95. Throughput is not the bottleneck here, since receivers are slower than either. Integrators
 * notice the delay before the start.
 */

/** Longer than an attempt (10 s) plus settling it. Shorter than the half minute within which work must be resumed. */
const LEASE_MS = 20_000

/** Maximum concurrent tests, in addition to all other deliveries. */
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
  /** Number of attempts before this one. */
  attemptCount: number
  /** When the event happened; null for a test, which is not an event. */
  occurredAt: string | null
  /** The exact bytes of the payload. */
  body: Buffer
  /** Whether the subscription is being probed, with this as the only attempt. */
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
  /** Subscriptions at their limit. There may be more to claim once a delivery has ended. */
  full: WebhookName[]
  /** Subscriptions to retry soon: another process was claiming for them, or their first deliveries were canceled. */
  missed: WebhookName[]
}

/** A subscription to claim for, and how many of its deliveries may be in progress. */
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
    // If the database crashes and loses a claim, it is simply made again, so there is no need to wait for the disk.
    await sql`set local synchronous_commit = off`.execute(trx)
    const locked = await lockSubscriptions(trx, webhooks, owners, now, sql`for no key update of w skip locked`)
    const names = new Set(locked.map((row) => row.webhookId))
    const missed = webhooks.filter(({ webhookId }) => !names.has(webhookId))
    const open = locked.filter((row) => canSendNow(row, now))
    const underWay = await countInFlight(trx, open, now)
    const shares = new Map(webhooks.map(({ webhookId, most }) => [webhookId, most]))
    const turns = open.map((row) => ({
      ...row,
      limit: inFlightLimit(row, shares.get(row.webhookId) ?? 1) - (underWay.get(row.webhookId) ?? 0),
    }))
    const taken = await claimRows(
      trx,
      turns.filter((turn) => turn.limit > 0),
      now,
    )
    const { sendable, cancelled } = await cancelUnreadable(trx, taken, turns, owners, now)
    const counts = Map.groupBy(taken, (row) => row.webhookId)
    const full = turns.filter(
      ({ webhookId, limit }) => !cancelled.has(webhookId) && (counts.get(webhookId)?.length ?? 0) >= limit,
    )
    const again = turns.filter(({ webhookId }) => cancelled.has(webhookId))
    const deliveries = await toClaimedDeliveries(trx, sendable, turns, now)
    return { deliveries, full, missed: [...missed, ...again] }
  })
}

// A delivery whose owner lost the permission while it was queued is canceled, never sent.
async function cancelUnreadable(
  trx: Db,
  taken: ClaimedRow[],
  webhooks: Subscription[],
  owners: Owners,
  now: Date,
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
    where (d."organizationId", d."id") in (
      select * from unnest(${unreadable.map((row) => row.organizationId)}::text[], ${unreadable.map((row) => row.id)}::text[])
    )`.execute(trx)
  return { sendable: taken.filter(mayGo), cancelled: new Set(unreadable.map(({ webhookId }) => webhookId)) }
}

/** Claims tests. A test is sent once, whatever the state of its subscription, and does not affect that state. */
export async function claimTests(database: Database, clock: Clock, owners: Owners): Promise<ClaimedDelivery[]> {
  return database.transaction(async (trx) => {
    const now = clock.now()
    const due = sql`"test" and "status" = 'pending' and "claimedUntil" is null and "nextAttemptAt" <= ${now.toISOString()}`
    const { rows: tests } = await sql<{ organizationId: string; id: string }>`
      select "organizationId", "id" from "deliveries" where ${due} order by "nextAttemptAt" limit ${MAX_TESTS}`.execute(
      trx,
    )
    const taken: ClaimedRow[] = []
    for (const [organizationId, own] of Map.groupBy(tests, (row) => row.organizationId)) {
      const { rows } = await sql<ClaimedRow>`
        update "deliveries" d set "claimedUntil" = ${leaseUntil(now)}, "claimId" = ${randomUUID()}
        where d."organizationId" = ${organizationId} and d."id" = any(array(
          select "id" from "deliveries"
          where "organizationId" = ${organizationId} and "id" = any(${own.map(({ id }) => id)}::text[]) and ${due}
          for update skip locked
        ))
        returning ${CLAIMED_COLUMNS}`.execute(trx)
      taken.push(...rows)
    }
    if (taken.length === 0) return []
    return toClaimedDeliveries(trx, taken, await lockSubscriptions(trx, taken, owners, now, sql``), now)
  })
}

/**
 * Releases the claims of ended processes, and finds every subscription that has something to send now. This covers what
 * no wake-up announced, such as retries that have become due and the work of other processes.
 */
export async function findDueWebhooks(database: Database, clock: Clock): Promise<WebhookName[]> {
  const now = clock.now().toISOString()
  const lapsed = sql`"claimedUntil" is not null and "claimedUntil" < ${now}`
  const { rows: dead } = await sql<{ organizationId: string }>`
    select distinct "organizationId" from "deliveries" where ${lapsed}`.execute(database.statements)
  for (const { organizationId } of dead) {
    await sql`
      update "deliveries" set "claimedUntil" = null where "organizationId" = ${organizationId} and "id" = any(array(
        select "id" from "deliveries" where "organizationId" = ${organizationId} and ${lapsed} for update skip locked
      ))`.execute(database.statements)
  }
  // One index lookup per subscription, which costs the same however many deliveries are waiting.
  const { rows } = await sql<WebhookName>`
    select w."organizationId", w."id" as "webhookId" from "webhooks" w
    cross join lateral (
      select 1 from "deliveries" d
      where d."organizationId" = w."organizationId" and d."webhookId" = w."id"
        and d."status" = 'pending' and not d."test" and d."claimedUntil" is null and d."nextAttemptAt" <= ${now}
      limit 1
    ) due
    where w."status" = 'active' and w."archivedAt" is null and (w."pausedUntil" is null or w."pausedUntil" <= ${now})`.execute(
    database.statements,
  )
  return rows
}

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
  trx: Db,
  webhooks: WebhookName[],
  owners: Owners,
  now: Date,
  lock: RawBuilder<unknown>,
): Promise<Subscription[]> {
  const { rows } = await sql<Subscription>`
    select w."organizationId", w."id" as "webhookId", w."url", w."secret", w."previousSecret", w."previousSecretExpiresAt",
      w."status", w."archivedAt", w."consecutiveFailures", w."pausedUntil", ${owners.columns(now)}
    from "webhooks" w ${owners.joins}
    where (w."organizationId", w."id") in (
      select * from unnest(${webhooks.map((webhook) => webhook.organizationId)}::text[], ${webhooks.map((webhook) => webhook.webhookId)}::text[])
    )
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

// An expired claim belongs to a process that has ended.
async function countInFlight(trx: Db, webhooks: Subscription[], now: Date): Promise<Map<string, number>> {
  if (webhooks.length === 0) return new Map()
  const { rows } = await sql<{ webhookId: string; count: number }>`
    select d."webhookId", count(*)::int as "count" from "deliveries" d
    where d."claimedUntil" > ${now.toISOString()} and not d."test" and (d."organizationId", d."webhookId") in (
      select * from unnest(${webhooks.map((webhook) => webhook.organizationId)}::text[], ${webhooks.map((webhook) => webhook.webhookId)}::text[])
    )
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
  /** Permissions needed for its event in addition to that of its type. */
  permissions: string[] | null
}

const CLAIMED_COLUMNS = sql`d."organizationId", d."id", d."webhookId", d."eventId", d."eventType", d."claimId", d."step", d."attemptCount", d."test", d."payload"::text as "testPayload",
  (select e."permissions" from "events" e where e."organizationId" = d."organizationId" and e."id" = d."eventId") as "permissions"`

// Claims in the order of sending: longest overdue first, then by event order. Locked rows are matched by ctid. With a
// join on their keys the planner would scan a table of a few thousand rows every time, and with an array of IDs it
// reads all rows of the organization until the table has been analyzed (178 blocks in place of 23 for 10 of 5,000). The
// costs of each way are in database/distribution.ts.
async function claimRows(trx: Db, turns: (Subscription & { limit: number })[], now: Date): Promise<ClaimedRow[]> {
  if (turns.length === 0) return []
  const { rows } = await sql<DuePosition>`
    update "deliveries" d set "claimedUntil" = ${leaseUntil(now)}, "claimId" = ${randomUUID()}
    where d.ctid = any(array(
      select due.ctid
      from unnest(${turns.map((turn) => turn.organizationId)}::text[], ${turns.map((turn) => turn.webhookId)}::text[],
          ${turns.map((turn) => turn.limit)}::int[]) as turn ("organizationId", "webhookId", "limit")
      cross join lateral (
        select w.ctid from "deliveries" w
        where w."organizationId" = turn."organizationId" and w."webhookId" = turn."webhookId"
          and w."status" = 'pending' and not w."test" and w."claimedUntil" is null
          and w."nextAttemptAt" <= ${now.toISOString()}
        order by w."nextAttemptAt", w."sequence" limit turn."limit" for update skip locked
      ) due
    ))
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

// Each payload is read once, however many subscriptions it is sent to.
async function toClaimedDeliveries(
  trx: Db,
  rows: ClaimedRow[],
  webhooks: Subscription[],
  now: Date,
): Promise<ClaimedDelivery[]> {
  if (rows.length === 0) return []
  const events = await findEvents(
    trx,
    rows.filter((row) => !row.test),
  )
  const byId = new Map(webhooks.map((webhook) => [webhook.webhookId, webhook]))
  return rows.flatMap(({ testPayload, ...row }) => {
    const webhook = byId.get(row.webhookId)
    const event = testPayload === null ? events.get(row.eventId) : { body: Buffer.from(testPayload), occurredAt: null }
    if (webhook === undefined || event === undefined) return []
    const isProbe = webhook.consecutiveFailures >= FAILURES_UNTIL_PROBING
    return [{ ...row, ...event, isProbe, destination: { url: webhook.url, sealedSecrets: openSecrets(webhook, now) } }]
  })
}

async function findEvents(trx: Db, rows: ClaimedRow[]): Promise<Map<string, { body: Buffer; occurredAt: string }>> {
  const requested = new Map(rows.map((row) => [row.eventId, row.organizationId]))
  if (requested.size === 0) return new Map()
  const { rows: found } = await sql<{ id: string; payload: string; occurredAt: string }>`
    select e."id", e."payload", e."occurredAt" from "events" e
    join unnest(${[...requested.values()]}::text[], ${[...requested.keys()]}::text[]) as i ("organizationId", "id")
      on e."organizationId" = i."organizationId" and e."id" = i."id"`.execute(trx)
  return new Map(found.map(({ id, payload, occurredAt }) => [id, { body: Buffer.from(payload), occurredAt }]))
}

// The current secret is first: a receiver that has it is done after one comparison.
function openSecrets(webhook: Subscription, now: Date): string[] {
  const { secret, previousSecret, previousSecretExpiresAt: expiry } = webhook
  const isOverlapping = expiry !== null && Date.parse(expiry) > now.getTime()
  return [secret, isOverlapping ? previousSecret : null].filter((sealed) => sealed !== null)
}
