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
 * Assigns sequence numbers to committed events of each organization, and creates a delivery for each matching
 * subscription. One transaction does both, so an event is dispatched completely or not at all.
 *
 * A number that is assigned on insert would not follow the order of commits. Therefore, the sequence is assigned later,
 * to all events that have been committed by then. Only one dispatcher runs at a time, because it holds an advisory lock
 * until its transaction ends. As a result, no event can appear before the position of a client that reads events by
 * `sequence`, so the client misses none. A separate statement takes the lock, so that the next statement sees at least
 * all rows that the previous dispatcher saw.
 */
export interface DispatchResult {
  /**
   * Whether another process is currently dispatching. If so, the next attempt dispatches the events that the other
   * process does not see.
   */
  isBusy: boolean
  /** Whether there may be more events than one batch can contain. */
  hasMore: boolean
  /** The number of dispatched events. */
  events: number
  /** The subscriptions that now have due deliveries. */
  due: WebhookName[]
}

export interface WebhookName {
  organizationId: string
  webhookId: string
}

/**
 * The number of events per transaction. If each event has one or two subscriptions, a batch takes about 50 ms. With
 * batches of half this size, processing a backlog takes 20% longer.
 */
const BATCH_EVENTS = 1000

/**
 * The maximum number of deliveries that a transaction inserts. If there are many subscriptions, a batch contains fewer
 * events.
 */
const MAX_DELIVERIES = 5000

/** The number of the lock for dispatching. The number must differ from all other lock numbers in this database. */
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

/** Locks dispatching until the transaction ends. Returns false if another process holds the lock. */
async function lockDispatcher(trx: Db): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${DISPATCHER_LOCK}) as "locked"`.execute(trx)
  return rows[0]?.locked === true
}

// SQL that assigns sequence numbers to the events in `ranked`. The numbers of each organization continue after its last
// number. The lock prevents concurrent dispatchers.
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
 * The maximum number of events without a subscription per transaction. This number is higher than that for events with
 * subscriptions, because only the database processes these events. The search is limited to the oldest events.
 * Otherwise, each search would read a long backlog of other events.
 */
const MAX_UNWATCHED = 2000

interface NumberedEvents {
  isBusy: boolean
  seen: number
  placed: number
}

// Assigns sequence numbers to events of organizations without subscriptions. The database does this without sending the
// events to this process.
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

// Includes disabled subscriptions, whose events are held until the subscription is enabled. Excludes sandboxes that are
// being filled, because their events are example history.
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

// Does not queue events that the owner may not read. If the owner is no longer active, all deliveries are held, because
// the next owner may have other permissions. When they are sent, events that the new owner may not read are skipped.
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

// Stores the sequence numbers of the events and of their deliveries in one statement.
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
