import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database, Db } from '../database/database.ts'
import type { Owner, Owners } from './owners.ts'
import { wants } from './webhook.ts'

/**
 * Gives committed events their place in the order of their organization, and makes a delivery for each subscription that
 * wants them, in one transaction: an event is dispatched once and wholly, or not yet.
 *
 * Order: the number that a row gets when it is written is no order of commit. So the place is given afterwards, to what
 * is committed by then, by one dispatcher at a time (an advisory lock that ends with the transaction). Whoever reads
 * events by `sequence` therefore never finds one in front of what they have read already.
 */
export interface Dispatched {
  /** Another process is dispatching at this moment; what it does not see is left to the next try. */
  isBusy: boolean
  /** There may be more than one batch holds. */
  hasMore: boolean
  /** How many events were dispatched. */
  events: number
  /** The subscriptions that have something to send now. */
  due: WebhookName[]
}

export interface WebhookName {
  organizationId: string
  webhookId: string
}

/** So many events a transaction: at a subscription or two each it takes some ten milliseconds. */
const BATCH_EVENTS = 500

/** With many subscriptions a batch is cut short, so that a transaction inserts some thousands of rows at most. */
const MOST_DELIVERIES = 5000

/** Any number that no other lock of this database uses. */
const DISPATCHER_LOCK = 74185008

export async function dispatch(database: Database, config: Config, clock: Clock, owners: Owners): Promise<Dispatched> {
  return database.transaction(async (trx) => {
    const now = clock.now()
    // The lock comes in a statement of its own: what the next one sees then is at least what the dispatcher before saw.
    const { rows } = await sql<{
      locked: boolean
    }>`select pg_try_advisory_xact_lock(${DISPATCHER_LOCK}) as "locked"`.execute(trx)
    if (rows[0]?.locked !== true) return { isBusy: true, hasMore: false, events: 0, due: [] }
    const unwatched = await placeUnwatched(trx)
    const waiting = await undispatched(trx)
    if (waiting.length === 0) {
      return { isBusy: false, hasMore: unwatched === MOST_UNWATCHED, events: unwatched, due: [] }
    }
    const subscriptions = await subscriptionsOf(trx, waiting, owners, now)
    const { events, deliveries } = match(waiting, subscriptions, owners)
    await place(trx, events, deliveries, { now, firstPauseSeconds: config.webhookRetrySchedule[0] ?? 0 })
    return {
      isBusy: false,
      hasMore: events.length < waiting.length || waiting.length === BATCH_EVENTS || unwatched === MOST_UNWATCHED,
      events: events.length + unwatched,
      due: namesOf(deliveries),
    }
  })
}

// The counters of the organizations go up by the number of their events that are `ranked`, and these take the numbers in
// between.
const PLACED = sql`counted as (
      update "organizations" o set "lastEventSequence" = o."lastEventSequence" + c."total"
      from (select distinct "organizationId", "total" from ranked) c where o."id" = c."organizationId"
      returning o."id", o."lastEventSequence" - c."total" as "base"
    ), placed as (
      update "events" e set "sequence" = c."base" + r."rank"
      from ranked r join counted c on c."id" = r."organizationId"
      where e."organizationId" = r."organizationId" and e."id" = r."id"
      returning e."organizationId", e."id", e."type", e."sequence"
    )`

/** They take no trip through this process, so there may be more of them in a transaction. */
const MOST_UNWATCHED = 2000

// The events of organizations without a subscription only want their place, and are given it where they lie.
async function placeUnwatched(trx: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with waiting as (
      select e."organizationId", e."id", e."recordedOrder" from "events" e
      where e."sequence" is null and not exists (
        select from "webhooks" w where w."organizationId" = e."organizationId" and w."archivedAt" is null)
      order by e."recordedOrder" limit ${MOST_UNWATCHED}
    ), ranked as (
      select "organizationId", "id",
        row_number() over (partition by "organizationId" order by "recordedOrder") as "rank",
        count(*) over (partition by "organizationId") as "total"
      from waiting
    ), ${PLACED} select count(*) as "count" from placed`.execute(trx)
  return rows[0]?.count ?? 0
}

interface Waiting {
  organizationId: string
  id: string
  type: string
  actorId: string | null
}

async function undispatched(trx: Db): Promise<Waiting[]> {
  return trx
    .selectFrom('events')
    .select(['organizationId', 'id', 'type', 'actorId'])
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

// Disabled ones too: what happens meanwhile is held for them.
async function subscriptionsOf(trx: Db, events: Waiting[], owners: Owners, now: Date): Promise<Subscription[]> {
  const organizationIds = [...new Set(events.map((event) => event.organizationId))]
  const { rows } = await sql<Subscription>`
    select w."organizationId", w."id", w."eventTypes", w."excludeOwnChanges", w."owner"->>'id' as "ownerId", ${owners.columns(now)}
    from "webhooks" w ${owners.joins}
    where w."organizationId" = any(${organizationIds}) and w."archivedAt" is null`.execute(trx)
  return rows
}

interface NewDelivery extends WebhookName {
  id: string
  eventId: string
}

// What an owner may not read does not even wait. For one whose owner is gone everything is held, because whoever takes it
// over may read other things; what that one may not is left out when it is to be sent.
function match(
  waiting: Waiting[],
  subscriptions: Subscription[],
  owners: Owners,
): { events: Waiting[]; deliveries: NewDelivery[] } {
  const byOrganization = Map.groupBy(subscriptions, ({ organizationId }) => organizationId)
  const deliveries: NewDelivery[] = []
  let taken = 0
  for (const event of waiting) {
    if (deliveries.length >= MOST_DELIVERIES) break
    taken++
    const { organizationId } = event
    for (const webhook of byOrganization.get(organizationId) ?? []) {
      if (!wants(webhook, event) || !(webhook.isOwnerGone || owners.mayRead(webhook, event.type))) continue
      deliveries.push({ organizationId, id: typeid('dlv').toString(), webhookId: webhook.id, eventId: event.id })
    }
  }
  return { events: waiting.slice(0, taken), deliveries }
}

// One statement: the events are placed, and the deliveries take their numbers over.
async function place(
  trx: Db,
  events: Waiting[],
  deliveries: NewDelivery[],
  { now, firstPauseSeconds }: { now: Date; firstPauseSeconds: number },
): Promise<void> {
  const firstAttemptAt = new Date(now.getTime() + firstPauseSeconds * 1000).toISOString()
  await sql`
    with ranked as (
      select "organizationId", "id",
        row_number() over (partition by "organizationId" order by "ordinal") as "rank",
        count(*) over (partition by "organizationId") as "total"
      from unnest(${events.map((event) => event.organizationId)}::text[], ${events.map((event) => event.id)}::text[])
        with ordinality as i ("organizationId", "id", "ordinal")
    ), ${PLACED}
    insert into "deliveries" ("organizationId", "id", "webhookId", "eventId", "eventType", "sequence", "nextAttemptAt", "createdAt", "updatedAt")
    select d."organizationId", d."id", d."webhookId", d."eventId", p."type", p."sequence", ${firstAttemptAt}::timestamptz, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
    from unnest(${deliveries.map((delivery) => delivery.organizationId)}::text[], ${deliveries.map((delivery) => delivery.id)}::text[],
      ${deliveries.map((delivery) => delivery.webhookId)}::text[], ${deliveries.map((delivery) => delivery.eventId)}::text[])
      as d ("organizationId", "id", "webhookId", "eventId")
    join placed p on p."organizationId" = d."organizationId" and p."id" = d."eventId"`.execute(trx)
}

function namesOf(deliveries: NewDelivery[]): WebhookName[] {
  const names = new Map(deliveries.map(({ organizationId, webhookId }) => [webhookId, { organizationId, webhookId }]))
  return [...names.values()]
}
