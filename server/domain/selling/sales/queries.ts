import { sql } from 'kysely'
import type { SaleStatus } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { toMinorUnitsSql } from '../../../platform/values/minor-units.ts'
import { toOptionsTotalSql, toTotalPriceSql } from '../price-changes/sale-price.ts'

/** SQL expression for the price of the sale in row `t`. */
export const TOTAL_PRICE_SQL = toTotalPriceSql('t')

/** SQL expression for the commission of the sale in row `t`; zero if the sale is canceled. */
export const COMMISSION_SQL = `case when t."commissionPercent" is null and t."commissionAmount" is null then null
  when t."status" = 'cancelled' then 0
  else coalesce(t."commissionAmount", round((${TOTAL_PRICE_SQL}) * t."commissionPercent" / 100, ${toMinorUnitsSql('t."currency"')})) end`

export const { list, find, findAll, findOptional, lock, insert, update } = defineResource({
  schema: 'Sale',
  computed: {
    optionsTotal: toOptionsTotalSql('t'),
    totalPrice: TOTAL_PRICE_SQL,
    commission: COMMISSION_SQL,
  },
})

/**
 * Returns the next sale number of the organization. The counter row stays locked until the transaction ends, so
 * concurrent calls that create sales wait.
 */
export async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "saleNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `SA-${String(rows[0]?.last).padStart(4, '0')}`
}

export async function findPipelineStages({ db, organizationId }: Tenant): Promise<string[]> {
  const { rows } = await sql<{ stages: string[] }>`
    select "salePipelineStages" as "stages" from "organizations" where "id" = ${organizationId}`.execute(db)
  return rows[0]?.stages ?? []
}

/** An existing sale that prevents another sale. */
export interface HoldingSale {
  id: string
  number: string
  status: SaleStatus
  buyers: { name: string }[]
}

export interface Lot {
  communityId: string
  block: string | null
  lotNumber: string
}

/** Returns the sale of a lot, ignoring canceled sales; undefined if the lot can be sold. */
export async function findSaleOfLot(
  { db, organizationId }: Tenant,
  { communityId, block, lotNumber }: Lot,
): Promise<HoldingSale | undefined> {
  const { rows } = await sql<HoldingSale>`
    select "id", "number", "status", "buyers" from "sales"
    where "organizationId" = ${organizationId} and "communityId" = ${communityId}
      and "blockKey" = any(array(select "typedKey"(coalesce(${block}::text, ''))))
      and "lotNumberKey" = any(array(select "typedKey"(${lotNumber}::text))) and "lotNumber" is not null
      and "status" <> 'cancelled'`.execute(db)
  return rows[0]
}

/** Stores the total of options for a sale that does not, or does no longer, add up the selections of a home. */
export async function storeOptionsTotal({ db, organizationId }: WriteCall, id: string, amount: number): Promise<void> {
  await sql`
    update "sales" set "optionsFixed" = ${amount}
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
}

/** Increments the version of a sale of which only computed fields have changed. */
export async function bumpVersion(call: WriteCall, id: string, fields: readonly string[]): Promise<void> {
  await sql`
    update "sales" set "version" = "version" + 1, "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  recordChange(call, id, 'updated', fields)
}
