import { sql } from 'kysely'
import type { Contract } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'

/**
 * Returns one row for each lump sum and community, with its period. Lump sums are kept after their contract ends, as
 * prices are, so that queries for past dates find them. The vendor must be locked when lump sums are added.
 */
function toRows({ lumpSums, communityIds }: Contract) {
  const places = communityIds.length === 0 ? [null] : communityIds
  const requested = lumpSums.flatMap((lumpSum) => places.map((communityId) => ({ ...lumpSum, communityId })))
  return sql`unnest(
      ${requested.map(({ lineId }) => lineId)}::text[], ${requested.map(({ communityId }) => communityId)}::text[],
      ${requested.map(({ planId }) => planId)}::text[], ${requested.map(({ elevation }) => elevation)}::text[],
      ${requested.map(({ optionId }) => optionId)}::text[], ${requested.map(({ costCodeId }) => costCodeId)}::text[],
      ${requested.map(({ description }) => description)}::text[], ${requested.map(({ amount }) => amount)}::numeric[]
    ) with ordinality as w ("lineId", "communityId", "planId", "elevation", "optionId", "costCodeId", "description",
      "amount", "place")`
}

export async function addLumpSums({ db, organizationId }: WriteCall, contract: Contract): Promise<void> {
  await sql`
    insert into "lumpSums" ("organizationId", "contractId", "place", "lineId", "communityId", "planId", "elevation",
      "optionId", "costCodeId", "description", "amount", "effectiveDate", "expirationDate")
    select o."id", ${contract.id}::text, w."place", w."lineId", w."communityId", w."planId", w."elevation",
      w."optionId", w."costCodeId", w."description", w."amount", ${contract.effectiveDate}::date,
      ${contract.expirationDate}::date
    from "organizations" as o cross join ${toRows(contract)} where o."id" = ${organizationId}`.execute(db)
}

export interface LumpSumOverlap {
  lineId: string
  /** The line ID of the other lump sum. */
  otherLineId: string
  number: string
}

/**
 * Returns the vendor's lump sums that overlap those of the contract, in the order of the contract's lump sums. Lump
 * sums overlap if they have a day in common, the same trade and place, and either the same plan and elevation or the
 * same option. Compares trades without regard to letter case.
 */
export async function findOverlappingLumpSums(
  { db, organizationId }: WriteCall,
  contract: Contract,
  max: number,
): Promise<LumpSumOverlap[]> {
  const { vendorId, scope, effectiveDate, expirationDate } = contract
  const { rows } = await sql<LumpSumOverlap>`
    select w."lineId", l."lineId" as "otherLineId", c."number" from ${toRows(contract)}
    join "lumpSums" as l on l."organizationId" = ${organizationId}
      and (l."planId" = w."planId" and l."elevation" is not distinct from w."elevation" or l."optionId" = w."optionId")
      and l."communityId" is not distinct from w."communityId"
      and l."effectiveDate" <= coalesce(${expirationDate}::date, 'infinity')
      and coalesce(l."expirationDate", 'infinity') >= ${effectiveDate}::date
    join "contracts" as c on c."organizationId" = l."organizationId" and c."id" = l."contractId"
      and c."vendorId" = ${vendorId} and lower(c."scope") = lower(${scope})
    order by w."place", c."number", l."place" limit ${max}`.execute(db)
  return rows
}

/** Ends the lump sums of these revisions. Cancels lump sums that start after the last day. */
export async function endLumpSums(
  { db, organizationId }: WriteCall,
  contractIds: readonly string[],
  lastDay: string,
): Promise<void> {
  await sql`
    delete from "lumpSums"
    where "organizationId" = ${organizationId} and "contractId" = any(${[...contractIds]}::text[])
      and "effectiveDate" > ${lastDay}::date`.execute(db)
  await sql`
    update "lumpSums" set "expirationDate" = ${lastDay}::date
    where "organizationId" = ${organizationId} and "contractId" = any(${[...contractIds]}::text[])
      and coalesce("expirationDate", 'infinity') > ${lastDay}::date`.execute(db)
}
