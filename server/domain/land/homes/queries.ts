import { sql } from 'kysely'
import type { Home } from '../../../../client/contract.gen.ts'
import { noteChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { resource } from '../../../platform/resources/resource.ts'
import { PENDING, UNSETTLED } from '../../statuses/order-statuses.ts'

/** SQL of what the selections of a home add to its price, summed up from an index of its own. */
const optionsTotal = (home: string) => `
  select coalesce(sum(s."difference"), 0) from "selections" as s
  where s."organizationId" = ${home}."organizationId" and s."homeId" = ${home}."id" and s."status" in ('approved', 'ordered', 'installed')`

/** SQL of the price of a home, over its row. */
export const priceOf = (home: string) => `${home}."basePrice" + (${optionsTotal(home)})`

/** SQL of what the buyer of a home pays, over its row; null until its sale is approved. */
export const contractPriceOf = (home: string) => `${home}."saleAmount" + (${optionsTotal(home)})`

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
} = resource({
  schema: 'Home',
  computed: {
    optionsTotal: optionsTotal('t'),
    price: priceOf('t'),
    salesStatus: 't."salesStatus"',
    contractPrice: contractPriceOf('t'),
  },
})

/** Locks the homes with these ids, in their order, and returns those that exist. */
export async function lockAll(call: WriteCall, ids: readonly string[]): Promise<Home[]> {
  if (ids.length === 0) return []
  const ordered = [...new Set(ids)].sort()
  await sql`
    select "id" from "homes"
    where "organizationId" = ${call.organizationId} and "id" = any(${ordered}::text[])
    order by "id" for no key update`.execute(call.db)
  return findAll(call, ordered)
}

/** What a home keeps of the sale that it has. */
export interface HeldBy {
  saleId: string | null
  saleStatus: 'pending' | 'approved' | null
  /** What the sale comes to without the selections, once it is approved. */
  saleAmount: number | null
}

/** Keeps on the home, which is locked, which sale it has. */
export async function keepSale(call: WriteCall, homeId: string, held: HeldBy): Promise<void> {
  await sql`
    update "homes" set "saleId" = ${held.saleId}, "saleStatus" = ${held.saleStatus}, "saleAmount" = ${held.saleAmount},
      "version" = "version" + 1, "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "id" = ${homeId}`.execute(call.db)
  noteChange(call, homeId, 'updated', ['saleId', 'salesStatus', 'contractPrice'])
}

export interface SaleOfHome {
  status: string
  openContingencies: number
  depositsOutstanding: number
}

/** How far the sale of a home is settled. */
export async function saleOf({ db, organizationId }: Tenant, saleId: string): Promise<SaleOfHome | undefined> {
  const { rows } = await sql<SaleOfHome>`
    select "status", "openContingencies", "depositsOutstanding" from "sales"
    where "organizationId" = ${organizationId} and "id" = ${saleId}`.execute(db)
  return rows[0]
}

/** The name of the home that stands on a lot; undefined if none does. */
export async function onLot(
  { db, organizationId }: Tenant,
  { communityId, block, lotNumber }: { communityId: string; block: string | null; lotNumber: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select "name" from "homes"
    where "organizationId" = ${organizationId} and "communityId" = ${communityId}
      and coalesce("block", '') = coalesce(${block}::text, '') and "lotNumber" = ${lotNumber} and "lotNumber" is not null
      and "status" <> 'cancelled' and ("archivedAt" is null or "status" = 'archived')`.execute(db)
  return rows[0]?.name
}

/** How many purchase orders of the home still have to be decided or settled. */
export async function countOpenOrders(call: Tenant, homeId: string): Promise<number> {
  const { count } = await call.db
    .selectFrom('purchaseOrders')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organizationId', '=', call.organizationId)
    .where('homeId', '=', homeId)
    .where('status', 'in', [...PENDING, ...UNSETTLED])
    .executeTakeFirstOrThrow()
  return count
}

/** Raises the version of a locked home of which only something computed has changed. */
export async function touch(call: WriteCall, id: string, fields: readonly string[]): Promise<void> {
  await sql`
    update "homes" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  noteChange(call, id, 'updated', fields)
}

/** The codes of the options selected for the home that houses of this plan cannot have; a few of them are enough. */
export async function selectedButNotFor(
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

/** How many tasks of the home still have to be done before it is completed; milestones and memos need not. */
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

/** Keeps on the home, which is locked, what its schedule comes to. */
export async function keepForecast(
  call: WriteCall,
  homeId: string,
  forecast: Pick<Home, 'forecastCompletionDate' | 'percentComplete'>,
): Promise<void> {
  await sql`
    update "homes" set "forecastCompletionDate" = ${forecast.forecastCompletionDate},
      "percentComplete" = ${forecast.percentComplete}, "version" = "version" + 1, "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "id" = ${homeId}`.execute(call.db)
  noteChange(call, homeId, 'updated', Object.keys(forecast))
}

/** The same for many homes, all of them locked, in one statement. */
export async function keepForecasts(
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
  for (const { id } of forecasts) noteChange(call, id, 'updated', ['forecastCompletionDate', 'percentComplete'])
}

/**
 * Archives the tasks and milestones of the home, which is locked: those that are left to be done or reached, or all of
 * them.
 */
export async function archiveSchedule(call: WriteCall, homeId: string, which: 'left' | 'all'): Promise<void> {
  const now = call.now.toISOString()
  for (const table of ['tasks', 'milestones'] as const) {
    const { rows } = await sql<{ id: string }>`
      update ${sql.table(table)} set "archivedAt" = ${now}, "version" = "version" + 1, "updatedAt" = ${now}
      where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
        and (${which === 'all'} or "status" in ('not_started', 'in_progress', 'on_hold', 'pending'))
      returning "id"`.execute(call.db)
    for (const { id } of rows) noteChange(call, id, 'archived', ['archivedAt'])
  }
}

/**
 * Computes anew when vendors are told of the tasks of the home, which is locked and is or was on hold; the database does
 * so whenever a planned start is written.
 */
export async function retimeNotices({ db, organizationId }: WriteCall, homeId: string): Promise<void> {
  await sql`
    update "tasks" as t set "plannedStart" = t."plannedStart"
    where t."organizationId" = ${organizationId} and t."homeId" = ${homeId} and t."status" = 'not_started'
      and t."archivedAt" is null`.execute(db)
}
