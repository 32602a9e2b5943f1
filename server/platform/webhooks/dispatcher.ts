import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import { LAST_SEQUENCE } from '../events/last-sequence.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Owner, Owners } from './owners.ts'
import { matchesEvent } from './webhook.ts'

/**
 * Gives committed events their sequence number within their organization and creates a delivery for each matching
 * subscription, in one transaction: an event is dispatched either completely or not at all.
 *
 * A number assigned on insert would not reflect commit order. So the sequence is assigned later, to the events
 * committed by then, by one dispatcher at a time (an advisory lock that ends with the transaction). A client that reads
 * events by `sequence` therefore never misses one that appears before its position. The lock is taken in a separate
 * statement, so that the next one sees at least everything that the previous dispatcher saw.
 */
export interface DispatchResult {
  /** Another process is dispatching now. Anything that it does not see is left to the next attempt. */
  isBusy: boolean
  /** There may be more than fits in one batch. */
  hasMore: boolean
  /** Number of dispatched events. */
  events: number
  /** Subscriptions that have something to send now. */
  due: WebhookName[]
}

export interface WebhookName {
  organizationId: string
  webhookId: string
}

/**
 * Events per transaction: with a subscription or two each, a batch takes about fifty milliseconds. With half as many, a
 * backlog takes a fifth longer.
 */
const BATCH_EVENTS = 1000

/** With many subscriptions a batch is smaller, so that a transaction inserts at most a few thousand rows. */
const MAX_DELIVERIES = 5000

/** An arbitrary number that no other lock in this database uses. */
const DISPATCHER_LOCK = 74185008

export interface DispatchParts {
  database: Database
  config: Config
  clock: Clock
  owners: Owners
}

export async function dispatchEvents(parts: DispatchParts): Promise<DispatchResult> {
  const { isBusy, seen, placed } = await dispatchUnwatched(parts.database)
  const isFull = seen === MAX_UNWATCHED
  if (isBusy || placed === seen) return { isBusy, hasMore: isFull, events: placed, due: [] }
  const watched = await dispatchWatched(parts)
  return { ...watched, hasMore: watched.hasMore || isFull, events: watched.events + placed }
}

function dispatchWatched({ database, config, clock, owners }: DispatchParts): Promise<DispatchResult> {
  return database.transaction(async (trx) => {
    const now = clock.now()
    if (!(await lockDispatcher(trx))) return { isBusy: true, hasMore: false, events: 0, due: [] }
    const waiting = await listUndispatched(trx)
    if (waiting.length === 0) return { isBusy: false, hasMore: false, events: 0, due: [] }
    const subscriptions = await findSubscriptions(trx, waiting, owners, now)
    const { events, deliveries } = matchSubscriptions(waiting, subscriptions, owners)
    await storeDispatch(trx, events, deliveries, { now, firstPauseSeconds: config.webhookRetrySchedule[0] ?? 0 })
    return {
      isBusy: false,
      hasMore: events.length < waiting.length || waiting.length === BATCH_EVENTS,
      events: events.length,
      due: webhookNamesOf(deliveries),
    }
  })
}

/** Locks dispatching until the transaction ends. Returns false if another process is dispatching. */
async function lockDispatcher(trx: Db): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${DISPATCHER_LOCK}) as "locked"`.execute(trx)
  return rows[0]?.locked === true
}

// SQL that assigns the `ranked` events of each organization the numbers after its last one. The lock excludes others.
const NUMBERED_EVENTS = sql`counted as materialized (
      select o."id", ${LAST_SEQUENCE} as "base" from "organizations" as o
      where o."id" in (select "organizationId" from ranked)
    ), placed as (
      update "events" e set "sequence" = c."base" + r."rank"
      from ranked r join counted c on c."id" = r."organizationId"
      where e."organizationId" = r."organizationId" and e."id" = r."id"
      returning e."organizationId", e."id", e."type", e."sequence"
    )`

/**
 * Events without a subscription never pass through this process, so a transaction can take more of them. Only the first
 * events are searched, because otherwise each search would read a long backlog of other events to its end.
 */
const MAX_UNWATCHED = 2000

interface NumberedEvents {
  isBusy: boolean
  seen: number
  placed: number
}

// Events of organizations without a subscription only need a sequence, which the database assigns by itself.
function dispatchUnwatched(database: Database): Promise<NumberedEvents> {
  return database.transaction(async (trx) => {
    if (!(await lockDispatcher(trx))) return { isBusy: true, seen: 0, placed: 0 }
    const { rows } = await sql<{ seen: number; placed: number }>`
      with first as materialized (
        select "organizationId", "id", "recordedOrder" from "events"
        where "sequence" is null order by "recordedOrder" limit ${MAX_UNWATCHED}
      ), ranked as (
        select "organizationId", "id",
          row_number() over (partition by "organizationId" order by "recordedOrder") as "rank"
        from first where "organizationId" not in (
          select w."organizationId" from "webhooks" w where w."archivedAt" is null
            and w."organizationId" in (select "organizationId" from first))
      ), ${NUMBERED_EVENTS}
      select count(*) as "seen", (select count(*) from placed) as "placed" from first`.execute(trx)
    return { isBusy: false, seen: rows[0]?.seen ?? 0, placed: rows[0]?.placed ?? 0 }
  })
}

interface UndispatchedEvent {
  organizationId: string
  id: string
  type: string
  actorId: string | null
  permissions: string[] | null
}

async function listUndispatched(trx: Db): Promise<UndispatchedEvent[]> {
  return trx
    .selectFrom('events')
    .select(['organizationId', 'id', 'type', 'actorId', 'permissions'])
    .where('sequence', 'is', null)
    .orderBy('recordedOrder')
    .limit(BATCH_EVENTS)
    .execute()
}

interface Subscription extends Owner {
  organizationId: string
  id: string
  eventTypes: string[]
  excludeOwnChanges: boolean
  ownerId: string | null
}

// Includes disabled subscriptions, for which events are held meanwhile. A sandbox that is being filled sends none of
// its past events.
async function findSubscriptions(
  trx: Db,
  events: UndispatchedEvent[],
  owners: Owners,
  now: Date,
): Promise<Subscription[]> {
  const organizationIds = [...new Set(events.map((event) => event.organizationId))]
  const { rows } = await sql<Subscription>`
    select w."organizationId", w."id", w."eventTypes", w."excludeOwnChanges", w."owner"->>'id' as "ownerId", ${owners.columns(now)}
    from "webhooks" w ${owners.joins}
    where w."organizationId" = any(${organizationIds}) and w."archivedAt" is null
      and not exists (
        select from "sandboxes" b where b."organizationId" = w."organizationId" and b."status" in ('filling', 'emptying'))`.execute(
    trx,
  )
  return rows
}

interface NewDelivery extends WebhookName {
  id: string
  eventId: string
}

// An event that the owner may not read is not even queued. Without an owner, all deliveries are held, because a new
// owner may have other permissions. Events that the new owner may not read are skipped when sending.
function matchSubscriptions(
  waiting: UndispatchedEvent[],
  subscriptions: Subscription[],
  owners: Owners,
): { events: UndispatchedEvent[]; deliveries: NewDelivery[] } {
  const byOrganization = Map.groupBy(subscriptions, ({ organizationId }) => organizationId)
  const deliveries: NewDelivery[] = []
  let taken = 0
  for (const event of waiting) {
    if (deliveries.length >= MAX_DELIVERIES) break
    taken++
    const { organizationId } = event
    for (const webhook of byOrganization.get(organizationId) ?? []) {
      if (
        !matchesEvent(webhook, event) ||
        !(webhook.isOwnerGone || owners.mayRead(webhook, event.type, event.permissions))
      )
        continue
      deliveries.push({ organizationId, id: typeid('dlv').toString(), webhookId: webhook.id, eventId: event.id })
    }
  }
  return { events: waiting.slice(0, taken), deliveries }
}

// Assigns sequence numbers to the events and copies the numbers to their deliveries, in one statement.
async function storeDispatch(
  trx: Db,
  events: UndispatchedEvent[],
  deliveries: NewDelivery[],
  { now, firstPauseSeconds }: { now: Date; firstPauseSeconds: number },
): Promise<void> {
  const firstAttemptAt = new Date(now.getTime() + firstPauseSeconds * 1000).toISOString()
  await sql`
    with ranked as (
      select "organizationId", "id",
        row_number() over (partition by "organizationId" order by "ordinal") as "rank"
      from unnest(${events.map((event) => event.organizationId)}::text[], ${events.map((event) => event.id)}::text[])
        with ordinality as i ("organizationId", "id", "ordinal")
    ), ${NUMBERED_EVENTS}
    insert into "deliveries" ("organizationId", "id", "webhookId", "eventId", "eventType", "sequence", "nextAttemptAt", "createdAt", "updatedAt")
    select d."organizationId", d."id", d."webhookId", d."eventId", p."type", p."sequence", ${firstAttemptAt}::timestamptz, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
    from unnest(${deliveries.map((delivery) => delivery.organizationId)}::text[], ${deliveries.map((delivery) => delivery.id)}::text[],
      ${deliveries.map((delivery) => delivery.webhookId)}::text[], ${deliveries.map((delivery) => delivery.eventId)}::text[])
      as d ("organizationId", "id", "webhookId", "eventId")
    join placed p on p."organizationId" = d."organizationId" and p."id" = d."eventId"`.execute(trx)
}

function webhookNamesOf(deliveries: NewDelivery[]): WebhookName[] {
  const names = new Map(deliveries.map(({ organizationId, webhookId }) => [webhookId, { organizationId, webhookId }]))
  return [...names.values()]
}
