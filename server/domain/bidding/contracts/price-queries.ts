import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Contract, Part } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { addDays } from '../../../platform/values/calendar.ts'

/**
 * Functions for the prices of a contract. The number of statements does not depend on the number of prices. The parts
 * must be locked, as for every change of a price.
 */
export async function lockParts(
  { db, organizationId }: WriteCall,
  ids: readonly string[],
): Promise<Map<string, Pick<Part, 'sku' | 'unit' | 'archivedAt'>>> {
  // Locks parts in the order of their IDs, so that two contracts for the same parts cannot deadlock.
  const { rows } = await sql<Pick<Part, 'id' | 'sku' | 'unit' | 'archivedAt'>>`
    select "id", "sku", "unit", "archivedAt" from "parts"
    where "organizationId" = ${organizationId} and "id" = any(${[...new Set(ids)]}::text[])
    order by "id" for no key update`.execute(db)
  return new Map(rows.map((part) => [part.id, part]))
}

interface ContractPrice {
  lineId: string
  partId: string
  communityId: string | null
  planId: string | null
  unitPrice: number
  minQuantity: number
}

/** Returns a price for each combination of a line, a community, and a plan. */
export function listContractPrices({ lines, communityIds, planIds }: Contract): ContractPrice[] {
  const places = communityIds.length === 0 ? [null] : communityIds
  const plans = planIds.length === 0 ? [null] : planIds
  return lines.flatMap(({ unit: _, ...line }) =>
    places.flatMap((communityId) => plans.map((planId) => ({ ...line, communityId, planId }))),
  )
}

function toRows(requested: readonly ContractPrice[]) {
  return sql`unnest(
      ${requested.map(({ lineId }) => lineId)}::text[], ${requested.map(({ partId }) => partId)}::text[],
      ${requested.map(({ communityId }) => communityId)}::text[], ${requested.map(({ planId }) => planId)}::text[],
      ${requested.map(({ unitPrice }) => unitPrice)}::numeric[], ${requested.map(({ minQuantity }) => minQuantity)}::numeric[]
    ) with ordinality as w ("lineId", "partId", "communityId", "planId", "unitPrice", "minQuantity", "place")`
}

/**
 * Returns the SQL condition that a price of the vendor overlaps a price of the contract: it has the same place, plan,
 * and quantity, and at least one day in common.
 */
function overlapsSql({ vendorId, effectiveDate, expirationDate }: Contract, organizationId: string) {
  return sql`p."organizationId" = ${organizationId} and p."archivedAt" is null and p."partId" = w."partId"
      and p."vendorId" = ${vendorId} and p."communityId" is not distinct from w."communityId"
      and p."planId" is not distinct from w."planId" and p."minQuantity" = w."minQuantity"
      and p."effectiveDate" <= coalesce(${expirationDate}::date, 'infinity')
      and coalesce(p."expirationDate", 'infinity') >= ${effectiveDate}::date`
}

export async function addPrices(call: WriteCall, contract: Contract): Promise<void> {
  const { db, organizationId, actor, now } = call
  const requested = listContractPrices(contract)
  await sql`
    insert into "prices" ("organizationId", "id", "partId", "vendorId", "communityId", "planId", "unitPrice",
      "effectiveDate", "expirationDate", "minQuantity", "preferred", "contractId", "contractLineId", "version",
      "createdBy", "createdAt", "updatedAt")
    select o."id", i."id", w."partId", ${contract.vendorId}::text, w."communityId", w."planId", w."unitPrice",
      ${contract.effectiveDate}::date, ${contract.expirationDate}::date, w."minQuantity", ${contract.preferred}::boolean,
      ${contract.id}::text, w."lineId", 1, ${JSON.stringify(actor)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
    from "organizations" as o cross join ${toRows(requested)}
    join unnest(${requested.map(() => typeid('prc').toString())}::text[]) with ordinality as i ("id", "place")
      on i."place" = w."place"
    where o."id" = ${organizationId}`.execute(db)
}

/**
 * Ends those other prices of the vendor that overlap the contract and start before it. Their last day is the day before
 * the contract starts.
 */
export async function endEarlierPrices(call: WriteCall, contract: Contract): Promise<void> {
  const { db, organizationId, now } = call
  const { rows } = await sql<{ id: string }>`
    update "prices" as p set "expirationDate" = ${addDays(contract.effectiveDate, -1)}::date,
      "version" = p."version" + 1, "updatedAt" = ${now}
    from ${toRows(listContractPrices(contract))}
    where ${overlapsSql(contract, organizationId)} and p."contractId" is null
      and p."effectiveDate" < ${contract.effectiveDate}::date
    returning p."id"`.execute(db)
  for (const { id } of rows) recordChange(call, id, 'updated', ['expirationDate'])
}

export interface PriceOverlap {
  lineId: string
  priceId: string
  /** The number of the contract that created the other price; null if there is none. */
  number: string | null
}

/**
 * Returns up to `max` prices of the vendor that conflict with prices of the contract, in the order of the contract's
 * lines.
 */
export async function findOverlappingPrices(call: WriteCall, contract: Contract, max: number): Promise<PriceOverlap[]> {
  const { db, organizationId } = call
  const { rows } = await sql<PriceOverlap>`
    select w."lineId", p."id" as "priceId", c."number" from ${toRows(listContractPrices(contract))}
    join "prices" as p on ${overlapsSql(contract, organizationId)}
    left join "contracts" as c on c."organizationId" = p."organizationId" and c."id" = p."contractId"
    order by w."place", p."id" limit ${max}`.execute(db)
  return rows
}

/** Ends the prices of these revisions. Archives prices that start after the last day. */
export async function endPrices(call: WriteCall, contractIds: readonly string[], lastDay: string): Promise<void> {
  const { db, organizationId, now } = call
  await sql`
    update "prices" set "version" = "version" + 1, "updatedAt" = ${now},
      "expirationDate" = case when "effectiveDate" > ${lastDay}::date then "expirationDate" else ${lastDay}::date end,
      "archivedAt" = case when "effectiveDate" > ${lastDay}::date then ${now}::timestamptz end
    where "organizationId" = ${organizationId} and "contractId" = any(${[...contractIds]}::text[])
      and "archivedAt" is null and coalesce("expirationDate", 'infinity') > ${lastDay}::date`.execute(db)
}
