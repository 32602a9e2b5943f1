import { sql } from 'kysely'
import type { Price } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import type { PriceCandidate, PriceRequest, PriceTerm } from './price.ts'

export const { list, find, findAll, lock, insert, make, insertAll, updateAll, update, archive } = defineResource({
  schema: 'Price',
  filters: { on: (date) => `t."effectiveDate" <= ${date} and coalesce(t."expirationDate" >= ${date}, true)` },
})

/**
 * The maximum number of prices that are examined to explain why no price applies. More prices would not make the
 * message clearer.
 */
const MAX_CANDIDATES = 500

type PriceReach = Pick<
  Price,
  'partId' | 'vendorId' | 'communityId' | 'planId' | 'minQuantity' | 'effectiveDate' | 'expirationDate'
>

/**
 * Returns the vendor's prices that overlap this price, for the same place, plan, and quantity. The result is exact
 * while the part is locked, because every change of the part's prices locks the part.
 */
export async function findOverlappingPrices(
  { db, organizationId }: Tenant,
  reach: PriceReach,
  except?: string,
): Promise<PriceTerm[]> {
  const { rows } = await sql<PriceTerm>`
    select "id", "unitPrice", "effectiveDate", "expirationDate" from "prices"
    where "organizationId" = ${organizationId} and "partId" = ${reach.partId} and "archivedAt" is null
      and "vendorId" = ${reach.vendorId} and "communityId" is not distinct from ${reach.communityId}
      and "planId" is not distinct from ${reach.planId} and "minQuantity" = ${reach.minQuantity}
      and "effectiveDate" <= coalesce(${reach.expirationDate}::date, 'infinity')
      and coalesce("expirationDate", 'infinity') >= ${reach.effectiveDate}::date
      and "id" is distinct from ${except ?? null}
    order by "effectiveDate", "id"`.execute(db)
  return rows
}

/** Returns the number of the contract that created a price. */
export async function findContractNumber({ db, organizationId }: Tenant, contractId: string): Promise<string> {
  const { rows } = await sql<{ number: string }>`
    select "number" from "contracts" where "organizationId" = ${organizationId} and "id" = ${contractId}`.execute(db)
  return rows[0]?.number ?? contractId
}

/**
 * For each line, returns the ID of the price that applies; null if there is none. Executes one statement with one index
 * lookup per line, regardless of the number of parts and prices.
 */
export async function choosePriceIds(
  { db, organizationId }: Tenant,
  lines: readonly { partId: string; quantity: number }[],
  { communityId, planId, on }: PriceRequest,
): Promise<(string | null)[]> {
  const { rows } = await sql<{ id: string | null }>`
    select chosen."id"
    from unnest(${lines.map((line) => line.partId)}::text[], ${lines.map((line) => line.quantity)}::numeric[])
      with ordinality as line ("partId", "quantity", "place")
    left join lateral (
      select p."id" from "prices" p
      join "vendors" v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
      where p."organizationId" = ${organizationId} and p."partId" = line."partId" and p."archivedAt" is null
        and p."effectiveDate" <= ${on} and coalesce(p."expirationDate" >= ${on}, true)
        and p."minQuantity" <= abs(line."quantity")
        and (p."communityId" is null or p."communityId" = ${communityId})
        and (p."planId" is null or p."planId" = ${planId})
        and v."status" = 'active' and v."archivedAt" is null
      order by p."planId" is null, p."communityId" is null, p."preferred" desc, p."unitPrice", p."id"
      limit 1
    ) as chosen on true
    order by line."place"`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Returns the prices of each part, newest first, with the status of their vendors. If a vendor is given, returns only
 * that vendor's prices.
 */
export async function findPriceCandidates(
  tenant: Tenant,
  partIds: readonly string[],
  vendorId: string | null = null,
): Promise<ReadonlyMap<string, readonly PriceCandidate[]>> {
  const { db, organizationId } = tenant
  const { rows } = await sql<{ id: string; isVendorActive: boolean }>`
    select c."id", c."isVendorActive"
    from unnest(${[...new Set(partIds)]}::text[]) as part ("id")
    cross join lateral (
      select p."id", v."status" = 'active' and v."archivedAt" is null as "isVendorActive"
      from "prices" p
      join "vendors" v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
      where p."organizationId" = ${organizationId} and p."partId" = part."id" and p."archivedAt" is null
        and (${vendorId}::text is null or p."vendorId" = ${vendorId})
      order by p."id" desc limit ${MAX_CANDIDATES}
    ) as c
    order by c."id" desc`.execute(db)
  const prices = await findAll(
    tenant,
    rows.map(({ id }) => id),
  )
  const active = new Set(rows.flatMap(({ id, isVendorActive }) => (isVendorActive ? [id] : [])))
  return Map.groupBy(
    prices.map((price) => ({ price, isVendorActive: active.has(price.id) })),
    ({ price }) => price.partId,
  )
}

/**
 * A price lane: a part, vendor, community, and plan. The prices of a lane with the same minimum quantity must not
 * overlap in time.
 */
export type PriceLane = Pick<Price, 'partId' | 'vendorId' | 'communityId' | 'planId'>

/** Returns the IDs of at most `max` active prices in these lanes. */
export async function listPriceIdsInLanes(
  { db, organizationId }: Tenant,
  lanes: readonly PriceLane[],
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select p."id" from unnest(
      ${lanes.map((lane) => lane.partId)}::text[], ${lanes.map((lane) => lane.vendorId)}::text[],
      ${lanes.map((lane) => lane.communityId)}::text[], ${lanes.map((lane) => lane.planId)}::text[]
    ) as lane ("partId", "vendorId", "communityId", "planId")
    join "prices" as p on p."organizationId" = ${organizationId} and p."partId" = lane."partId" collate "C"
      and p."archivedAt" is null and p."vendorId" = lane."vendorId"
      and p."communityId" is not distinct from lane."communityId" and p."planId" is not distinct from lane."planId"
    limit ${max}`.execute(db)
  return rows.map(({ id }) => id)
}
