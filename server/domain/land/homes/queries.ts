import { sql } from 'kysely'
import type { Home } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { PENDING_STATUSES, UNSETTLED_STATUSES } from '../../statuses/order-statuses.ts'

/**
 * SQL expression for the amount that the selections of a home add to its price. The database reads only an index for
 * it.
 */
const optionsTotalSql = (home: string) => `
  select coalesce(sum(s."difference"), 0) from "selections" as s
  where s."organizationId" = ${home}."organizationId" and s."homeId" = ${home}."id" and s."status" in ('approved', 'ordered', 'installed')`

/** Returns the SQL expression for the price of a home. The parameter is the alias of its row. */
export const toHomePriceSql = (home: string) => `${home}."basePrice" + (${optionsTotalSql(home)})`

/**
 * Returns the SQL expression for the price that the buyer of a home pays; null until the sale is approved. The
 * parameter is the alias of the home's row.
 */
export const toContractPriceSql = (home: string) => `${home}."saleAmount" + (${optionsTotalSql(home)})`

export const {
  list,
  find,
  findAll,
  findOptional,
  lock,
  assertExist,
  insert,
  make,
  insertAll,
  updateAll,
  update,
  archive,
} = defineResource({
  schema: 'Home',
  computed: {
    optionsTotal: optionsTotalSql('t'),
    price: toHomePriceSql('t'),
    salesStatus: 't."salesStatus"',
    contractPrice: toContractPriceSql('t'),
  },
})

/** Locks the homes with these IDs, in the order of their IDs. Returns those that exist. */
export async function lockHomes(call: WriteCall, ids: readonly string[]): Promise<Home[]> {
  if (ids.length === 0) return []
  const ordered = [...new Set(ids)].sort()
  await sql`
    select "id" from "homes"
    where "organizationId" = ${call.organizationId} and "id" = any(${ordered}::text[])
    order by "id" for no key update`.execute(call.db)
  return findAll(call, ordered)
}

/** The fields of a sale that are stored on its home. */
export interface HomeSale {
  saleId: string | null
  saleStatus: 'pending' | 'approved' | null
  /** The price of an approved sale, excluding selections; null before its approval. */
  saleAmount: number | null
}

/** Stores the data of a sale on its locked home. */
export async function storeSale(call: WriteCall, homeId: string, sale: HomeSale): Promise<void> {
  await sql`
    update "homes" set "saleId" = ${sale.saleId}, "saleStatus" = ${sale.saleStatus}, "saleAmount" = ${sale.saleAmount},
      "version" = "version" + 1, "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "id" = ${homeId}`.execute(call.db)
  recordChange(call, homeId, 'updated', ['saleId', 'salesStatus', 'contractPrice'])
}

export interface SaleProgress {
  status: string
  openContingencies: number
  depositsOutstanding: number
}

/** Returns the fields of the sale that determine whether it is settled. */
export async function findSaleProgress(
  { db, organizationId }: Tenant,
  saleId: string,
): Promise<SaleProgress | undefined> {
  const { rows } = await sql<SaleProgress>`
    select "status", "openContingencies", "depositsOutstanding" from "sales"
    where "organizationId" = ${organizationId} and "id" = ${saleId}`.execute(db)
  return rows[0]
}

/** Returns the name of the home on a lot; undefined if there is none. */
export async function findHomeOnLot(
  { db, organizationId }: Tenant,
  { communityId, block, lotNumber }: { communityId: string; block: string | null; lotNumber: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select "name" from "homes"
    where "organizationId" = ${organizationId} and "communityId" = ${communityId}
      and "blockKey" = any(array(select "typedKey"(coalesce(${block}::text, ''))))
      and "lotNumberKey" = any(array(select "typedKey"(${lotNumber}::text))) and "lotNumber" is not null
      and "status" <> 'cancelled' and ("archivedAt" is null or "status" = 'archived')`.execute(db)
  return rows[0]?.name
}

/** Returns the number of the home's purchase orders that are not settled. */
export async function countOpenOrders(call: Tenant, homeId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('homeId', '=', homeId)
    .where('status', 'in', [...PENDING_STATUSES, ...UNSETTLED_STATUSES])
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the number of punch items that must be verified before the home closes. */
export async function countItemsBlockingClosing({ db, organizationId }: Tenant, homeId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "punchItems"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" in ('open', 'assigned', 'fixed')
      and "priority" in ('before_closing', 'safety')`.execute(db)
  return rows[0]?.count ?? 0
}

/** Increments the version of a locked home of which only computed fields have changed. */
export async function bumpVersion(call: WriteCall, id: string, fields: readonly string[]): Promise<void> {
  await sql`
    update "homes" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  recordChange(call, id, 'updated', fields)
}

/**
 * Returns the codes of the home's selected options that are not available for this plan. Returns at most 20 codes,
 * which are enough for a message.
 */
export async function listUnavailableOptionCodes(
  { db, organizationId }: Tenant,
  homeId: string,
  planId: string | null,
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    select o."code" from "selections" as s
    join "options" as o on o."organizationId" = s."organizationId" and o."id" = s."optionId"
    where s."organizationId" = ${organizationId} and s."homeId" = ${homeId} and s."status" not in ('declined', 'cancelled')
      and case when ${planId}::text is null
        then o."planIds" <> '{}' or (o."costBasis" = 'computed' and s."costBasis" = 'option')
        else o."planIds" <> '{}' and ${planId}::text <> all(o."planIds") end
    order by o."code" limit 20`.execute(db)
  return rows.map(({ code }) => code)
}

/**
 * Returns the number of tasks that must be done before the home can be completed. Milestones and memos do not count.
 */
export async function countOpenTasks({ db, organizationId }: Tenant, homeId: string): Promise<number> {
  const { count } = await db
    .selectFrom('tasks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', organizationId)
    .where('homeId', '=', homeId)
    .where('archivedAt', 'is', null)
    .where('taskKind', 'in', ['work', 'inspection', 'delivery'])
    .where('status', 'in', ['not_started', 'in_progress', 'on_hold'])
    .executeTakeFirstOrThrow()
  return count
}

/** Stores the forecast of the schedule on the locked home. */
export async function storeForecast(
  call: WriteCall,
  homeId: string,
  forecast: Pick<Home, 'forecastCompletionDate' | 'percentComplete'>,
): Promise<void> {
  await sql`
    update "homes" set "forecastCompletionDate" = ${forecast.forecastCompletionDate},
      "percentComplete" = ${forecast.percentComplete}, "version" = "version" + 1, "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "id" = ${homeId}`.execute(call.db)
  recordChange(call, homeId, 'updated', Object.keys(forecast))
}

/**
 * Stores the data date of the schedule on the locked home. Responses do not contain it, so the version stays the same.
 */
export async function storeDataDate(call: WriteCall, homeId: string, dataDate: string | null): Promise<void> {
  await call.db
    .updateTable('homes')
    .set({ dataDate })
    .where('organizationId', '=', call.organizationId)
    .where('id', '=', homeId)
    .execute()
}

/** Like storeForecast, but for several locked homes in one statement. */
export async function storeForecasts(
  call: WriteCall,
  forecasts: readonly Pick<Home, 'id' | 'forecastCompletionDate' | 'percentComplete'>[],
): Promise<void> {
  if (forecasts.length === 0) return
  await sql`
    update "homes" as h set "forecastCompletionDate" = f."date", "percentComplete" = f."percent",
      "version" = h."version" + 1, "updatedAt" = ${call.now.toISOString()}
    from unnest(${forecasts.map(({ id }) => id)}::text[],
      ${forecasts.map(({ forecastCompletionDate }) => forecastCompletionDate)}::date[],
      ${forecasts.map(({ percentComplete }) => percentComplete)}::numeric[]) as f ("id", "date", "percent")
    where h."organizationId" = ${call.organizationId} and h."id" = f."id"`.execute(call.db)
  for (const { id } of forecasts) recordChange(call, id, 'updated', ['forecastCompletionDate', 'percentComplete'])
}

/** Archives the tasks and milestones of a locked home: either all of them, or only those that are not completed. */
export async function archiveSchedule(call: WriteCall, homeId: string, which: 'left' | 'all'): Promise<void> {
  const now = call.now.toISOString()
  for (const table of ['tasks', 'milestones'] as const) {
    const { rows } = await sql<{ id: string }>`
      update ${sql.table(table)} set "archivedAt" = ${now}, "version" = "version" + 1, "updatedAt" = ${now}
      where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and (${which === 'all'} or "status" in ('not_started', 'in_progress', 'on_hold', 'pending'))
      returning "id"`.execute(call.db)
    for (const { id } of rows) recordChange(call, id, 'archived', ['archivedAt'])
  }
}

/**
 * Computes again when vendors are notified of the tasks of a locked home, because the home was put on hold or returned
 * from a hold. The database computes these times whenever a planned start is written.
 */
export async function recalculateNoticeTimes({ db, organizationId }: WriteCall, homeId: string): Promise<void> {
  await sql`
    update "tasks" as t set "plannedStart" = t."plannedStart"
    where t."organizationId" = ${organizationId} and t."homeId" = ${homeId} and t."status" = 'not_started'
      and t."archivedAt" is null`.execute(db)
}
