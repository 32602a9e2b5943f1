import { type RawBuilder, sql } from 'kysely'
import type { Delivery, DeliveryAttempt, Webhook } from '../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../calls/call.ts'
import type { Input } from '../calls/operation.ts'
import { createCursorProblem, decodeCursor, toPage } from '../calls/page.ts'
import { toFetchLimitSql } from '../database/page-limits.ts'
import { defineResource } from '../resources/resource.ts'

export const { list, find, findAll, lock, insert, update, archive } = defineResource({
  schema: 'Webhook',
})

export async function countWebhooks(call: Tenant): Promise<number> {
  const found = await call.db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('archivedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(found.count)
}

/** Until this transaction ends, other transactions cannot create or activate subscriptions of the organization. */
export async function lockActivation({ db, organizationId }: WriteCall): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 74185009))`.execute(db)
}

export interface ActiveWebhook {
  id: string
  url: string
  eventTypes: string[]
}

export async function listActiveWebhooks(call: Tenant): Promise<ActiveWebhook[]> {
  return call.db
    .selectFrom('webhooks')
    .select(['id', 'url', 'eventTypes'])
    .where('organizationId', '=', call.organizationId)
    .where('status', '=', 'active')
    .where('archivedAt', 'is', null)
    .orderBy('id')
    .execute()
}

/** Stores the secrets of a subscription that this transaction has created or locked. */
export async function storeWebhookSecrets(
  call: WriteCall,
  id: string,
  secrets: { secret: string | null; previousSecret: string | null },
): Promise<void> {
  await call.db
    .updateTable('webhooks')
    .set(secrets)
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', id)
    .execute()
}

/** Stores the permissions of an app's access token on a subscription that this transaction has created or locked. */
export async function storeTokenPermissions({ db, organizationId, principal }: WriteCall, id: string): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ tokenPermissions: principal.via === undefined ? null : [...principal.permissions] })
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .execute()
}

export async function findSealedSecret(call: Tenant, id: string): Promise<string | null> {
  const row = await call.db
    .selectFrom('webhooks')
    .select('secret')
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.secret ?? null
}

/**
 * Ends the pause of a subscription, because a client that requests a delivery assumes that the receiver works again.
 * The next attempt shows whether it does.
 */
export async function endPause(call: WriteCall, id: string, now: Date): Promise<void> {
  await call.db
    .updateTable('webhooks')
    .set((eb) => ({ pausedUntil: null, failedProbes: 0, version: eb('version', '+', 1), updatedAt: now }))
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', id)
    .where('pausedUntil', 'is not', null)
    .execute()
}

// Pending deliveries are held or canceled depending on the state of their subscription. This is determined here instead
// of being stored. Only deliveries that were canceled individually are stored as canceled.
const DELIVERY = sql`
  d."id", d."webhookId", d."eventId", d."eventType", d."test",
  case when d."status" <> 'pending' then d."status" when w."archivedAt" is not null then 'cancelled'
    when w."status" = 'disabled' and not d."test" then 'held' else 'pending' end as "status",
  d."attemptCount",
  case when d."status" = 'pending' and w."archivedAt" is null and (w."status" = 'active' or d."test") then d."nextAttemptAt" end as "nextAttemptAt",
  d."lastAttemptAt", d."responseStatus", d."error", d."createdAt", d."updatedAt"`

// All callers can read test deliveries, because they contain only the example from the API contract, which is public.
function isReadableSql(readable: readonly string[]): RawBuilder<unknown> {
  return sql`(d."test" or d."eventType" = any(${readable}))`
}

/**
 * Lists the deliveries of a subscription.
 *
 * @param readable the event types that may be returned; null means all types
 */
export async function listDeliveries(
  call: Tenant,
  webhook: Webhook,
  query: Input<'listDeliveries'>['query'],
  readable: readonly string[] | null,
): Promise<{ data: Delivery[]; nextCursor: string | null }> {
  const { limit, sort } = query
  const position = query.cursor === undefined ? null : decodeCursor(sort, query.cursor)
  const isDescending = sort.startsWith('-')
  const byUpdate = sort.endsWith('updatedAt')
  const [direction, beyond] = isDescending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const conditions = [sql`d."organizationId" = ${call.organizationId}`, sql`d."webhookId" = ${webhook.id}`]
  if (readable !== null) conditions.push(isReadableSql(readable))
  if (query.status !== undefined) conditions.push(whereStatus(query.status, webhook))
  if (query.eventType !== undefined) conditions.push(sql`d."eventType" = ${query.eventType}`)
  if (query.eventId !== undefined) conditions.push(sql`d."eventId" = ${query.eventId}`)
  if (query.updatedAfter !== undefined) conditions.push(sql`d."updatedAt" >= ${query.updatedAfter}`)
  if (query.createdAfter !== undefined) conditions.push(sql`d."createdAt" >= ${query.createdAfter}`)
  if (query.ids !== undefined) conditions.push(sql`d."id" = any(${query.ids})`)
  if (position !== null) {
    conditions.push(
      byUpdate
        ? sql`(d."updatedAt", d."id") ${beyond} (${toTimestamp(position.value)}, ${position.id})`
        : sql`d."id" ${beyond} ${position.id}`,
    )
  }
  const order = byUpdate ? sql`d."updatedAt" ${direction}, d."id" ${direction}` : sql`d."id" ${direction}`
  const { rows } = await sql<Delivery>`
    select ${DELIVERY} from "deliveries" d
    join "webhooks" w on w."organizationId" = d."organizationId" and w."id" = d."webhookId"
    where ${sql.join(conditions, sql` and `)} order by ${order} limit ${toFetchLimitSql(limit)}`.execute(call.db)
  return toPage(rows, limit, sort, (row) => (byUpdate ? row.updatedAt : null))
}

// A cursor comes from the caller, who may have made it up.
function toTimestamp(value: unknown): string {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value) ||
    Number.isNaN(Date.parse(value))
  )
    throw createCursorProblem()
  return value
}

function whereStatus(status: Delivery['status'], webhook: Webhook) {
  if (status === 'succeeded' || status === 'exhausted') return sql`d."status" = ${status}`
  const isArchived = webhook.archivedAt !== null
  const isHeld = !isArchived && webhook.status === 'disabled'
  if (status === 'cancelled')
    return isArchived ? sql`d."status" in ('pending', 'cancelled')` : sql`d."status" = 'cancelled'`
  if (status === 'held') return isHeld ? sql`d."status" = 'pending' and not d."test"` : sql`false`
  if (isArchived) return sql`false`
  return isHeld ? sql`d."status" = 'pending' and d."test"` : sql`d."status" = 'pending'`
}

export async function findDelivery(
  call: Tenant,
  id: string,
  readable: readonly string[] | null,
): Promise<Delivery | undefined> {
  const condition = readable === null ? sql`true` : isReadableSql(readable)
  const { rows } = await sql<Delivery>`
    select ${DELIVERY} from "deliveries" d
    join "webhooks" w on w."organizationId" = d."organizationId" and w."id" = d."webhookId"
    where d."organizationId" = ${call.organizationId} and d."id" = ${id} and ${condition}`.execute(call.db)
  return rows[0]
}

/** Returns the deliveries with these IDs that exist, in the order of their IDs. */
export async function findDeliveries(call: Tenant, ids: readonly string[]): Promise<Delivery[]> {
  const { rows } = await sql<Delivery>`
    select ${DELIVERY} from "deliveries" d
    join "webhooks" w on w."organizationId" = d."organizationId" and w."id" = d."webhookId"
    where d."organizationId" = ${call.organizationId} and d."id" = any(${[...ids]}) order by d."id"`.execute(call.db)
  return rows
}

export async function listAttempts(call: Tenant, deliveryId: string): Promise<DeliveryAttempt[]> {
  const { rows } = await sql<DeliveryAttempt>`
    select "id", "url", "attemptedAt", "durationMs", "outcome", "responseStatus", "responseBody", "error"
    from "deliveryAttempts" where "organizationId" = ${call.organizationId} and "deliveryId" = ${deliveryId}
    order by "id" desc limit 100`.execute(call.db)
  return rows.reverse()
}

/** Returns the error of the last failed attempt of any delivery of the subscription. */
export async function findLastError(call: Tenant, webhookId: string): Promise<string | null> {
  const { rows } = await sql<{ error: string | null }>`
    select "error" from "deliveries"
    where "organizationId" = ${call.organizationId} and "webhookId" = ${webhookId} and "error" is not null
    order by "updatedAt" desc, "lastAttemptAt" desc limit 1`.execute(call.db)
  return rows[0]?.error ?? null
}

/** Locks a delivery until the transaction ends, and returns the fields that determine whether it can be sent again. */
export async function lockDelivery(
  call: WriteCall,
  id: string,
): Promise<{ webhookId: string; test: boolean; isUnderWay: boolean } | undefined> {
  const { rows } = await sql<{ webhookId: string; test: boolean; isUnderWay: boolean }>`
    select "webhookId", "test", "claimedUntil" is not null as "isUnderWay" from "deliveries"
    where "organizationId" = ${call.organizationId} and "id" = ${id} for update`.execute(call.db)
  return rows[0]
}

export async function makeDeliveryDue(call: WriteCall, id: string, now: Date): Promise<void> {
  await call.db
    .updateTable('deliveries')
    .set({ status: 'pending', step: 0, nextAttemptAt: now, updatedAt: now })
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', id)
    .execute()
}

/** Makes the missed deliveries of a period due again, oldest first. Does not change deliveries in progress. */
export async function recoverMissedDeliveries(
  call: WriteCall,
  webhookId: string,
  period: { since: string; until: string; now: Date; most: number },
): Promise<number> {
  const now = period.now.toISOString()
  const { numAffectedRows } = await sql`
    with missed as (
      select d."id" from "deliveries" d
      join "events" e on e."organizationId" = d."organizationId" and e."id" = d."eventId"
      where d."organizationId" = ${call.organizationId} and d."webhookId" = ${webhookId} and not d."test" and d."claimedUntil" is null
        and (d."status" = 'exhausted' or (d."status" = 'pending' and d."nextAttemptAt" > ${now}))
        and e."occurredAt" >= ${period.since} and e."occurredAt" < ${period.until}
      order by d."sequence" limit ${period.most} for update of d
    )
    update "deliveries" d set "status" = 'pending', "step" = 0, "nextAttemptAt" = ${now}, "updatedAt" = ${now}
    from missed where d."organizationId" = ${call.organizationId} and d."id" = missed."id"`.execute(call.db)
  return Number(numAffectedRows ?? 0)
}

/** Stores a test delivery with its payload, because there is no event. */
export async function insertTestDelivery(
  call: WriteCall,
  test: { id: string; webhookId: string; eventId: string; eventType: string; payload: string; now: Date },
): Promise<void> {
  const { payload, now, ...rest } = test
  await call.db
    .insertInto('deliveries')
    .values({
      organizationId: call.organizationId,
      ...rest,
      sequence: 0,
      test: true,
      payload: sql`${payload}::json`,
      nextAttemptAt: now,
      createdAt: now,
      updatedAt: now,
    })
    .execute()
}
