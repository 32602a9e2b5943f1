import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Config } from '../config/config.ts'
import type { Database, Db } from '../database/database.ts'
import type { DueSql } from '../due/find-due-jobs.ts'
import { LAST_SEQUENCE } from '../events/last-sequence.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Owner, Owners } from './owners.ts'
import { matchesEvent } from './webhook.ts'

/**
 * Gives committed events their sequence numbers within their organization, and creates a delivery for each matching
 * subscription. Both steps happen in one transaction, so an event is dispatched either completely or not at all.
 *
 * A number that is assigned on insert would not reflect the order of commits. The sequence is therefore assigned later,
 * to all events that are committed by then. Only one dispatcher runs at a time (an advisory lock that ends with the
 * transaction). A client that reads events by `sequence` therefore never misses an event that appears before the
 * client's position. The lock is taken in a separate statement, so that the next statement sees at least all rows that
 * the previous dispatcher saw.
 */
export interface DispatchResult {
  /**
   * Whether another process is currently dispatching. The next attempt dispatches events that the other process does
   * not see.
   */
  isBusy: boolean
  /** Whether there may be more events than fit into one batch. */
  hasMore: boolean
  /** Number of dispatched events. */
  events: number
  /** Subscriptions that currently have something to send. */
  due: WebhookName[]
}

export interface WebhookName {
  organizationId: string
  webhookId: string
}

/**
 * Events per transaction. If each event has one or two subscriptions, a batch takes about fifty milliseconds. With half
 * the number of events per batch, a backlog takes 20 % longer.
 */
const BATCH_EVENTS = 1000

/** If there are many subscriptions, a batch is smaller, so that a transaction inserts at most a few thousand rows. */
const MAX_DELIVERIES = 5000

/** An arbitrary number that no other lock in this database uses. */
const DISPATCHER_LOCK = 74185008

export interface DispatchParts {
  database: Database
  config: Config
  clock: Clock
  owners: Owners
}

export const toUndispatchedEventsSql: DueSql = () => sql`select "organizationId" from "events" where "sequence" is null`

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

// SQL that assigns sequence numbers to the `ranked` events of each organization, starting after the organization's last
// number. The lock excludes other dispatchers.
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
 * Events without a subscription never pass through this process, so a transaction can dispatch more of them. Only the
 * oldest events are searched. Otherwise, each search would read a long backlog of other events to its end.
 */
const MAX_UNWATCHED = 2000

interface NumberedEvents {
  isBusy: boolean
  seen: number
  placed: number
}

// Events of organizations without a subscription need only a sequence number, which the database assigns without this
// process.
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

// The statement includes disabled subscriptions, whose events are held until they are enabled. A sandbox sends no
// events while it is being filled, because they are past events.
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

// If the owner may not read an event, the event is not queued. If there is no owner, all deliveries are held, because a
// new owner may have other permissions. When the deliveries are sent, events that the new owner may not read are
// skipped.
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
