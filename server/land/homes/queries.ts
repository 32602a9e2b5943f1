import { sql } from 'kysely'
import type { Home } from '../../../client/contract.gen.ts'
import { noteChange, type Tenant, type WriteCall } from '../../http/call.ts'
import { PENDING, UNSETTLED } from '../../paying/order-statuses.ts'
import { resource } from '../../resources/resource.ts'

/** What the selections of a home add to its price, summed up from an index of its own. */
const OPTIONS_TOTAL = `
  select coalesce(sum(s."difference"), 0) from "selections" as s
  where s."organizationId" = t."organizationId" and s."homeId" = t."id" and s."status" in ('approved', 'ordered', 'installed')`

export const { list, find, findAll, findOptional, lock, assertExist, insert, update, archive } = resource({
  schema: 'Home',
  table: 'homes',
  prefix: 'hom',
  computed: { optionsTotal: OPTIONS_TOTAL, price: `t."basePrice" + (${OPTIONS_TOTAL})` },
  search: [
    'name',
    'lotNumber',
    'block',
    {
      sql: `concat_ws(' ', t."address"->>'line1', t."address"->>'line2', t."address"->>'city', t."address"->>'postalCode')`,
    },
  ],
})

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

/** Archives the tasks of the home, which is locked: those that are left to be done, or all of them. */
export async function archiveTasks(call: WriteCall, homeId: string, which: 'left' | 'all'): Promise<void> {
  const now = call.now.toISOString()
  const { rows } = await sql<{ id: string }>`
    update "tasks" set "archivedAt" = ${now}, "version" = "version" + 1, "updatedAt" = ${now}
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "archivedAt" is null
      and (${which === 'all'} or "status" in ('not_started', 'in_progress', 'on_hold'))
    returning "id"`.execute(call.db)
  for (const { id } of rows) noteChange(call, id, 'archived', ['archivedAt'])
}
