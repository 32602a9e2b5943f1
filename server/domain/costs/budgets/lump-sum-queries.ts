import { sql } from 'kysely'
import type { Contract, Home, LumpSum } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'

/** A home has a few dozen trades, and each option affects only a few trades, so no real home reaches this limit. */
const MAX_SUMS = 5000

/** A lump sum, with the fields of its contract that an estimate uses. */
export interface AgreedLumpSum
  extends Pick<LumpSum, 'optionId' | 'costCodeId' | 'description' | 'amount'>,
    Pick<Contract, 'scope' | 'number'> {
  contractId: string
}

type LumpSumHome = Pick<Home, 'name' | 'communityId' | 'planId' | 'elevation'>

/**
 * Returns the lump sums that apply on the date: one for each trade of the home, and one for each trade of each option.
 * If several lump sums apply, the same rule as for prices applies: the most specific lump sum takes precedence, then
 * the preferred one, then the lowest.
 */
export async function findAgreedLumpSums(
  { db, organizationId }: Tenant,
  { name, communityId, planId, elevation }: LumpSumHome,
  optionIds: readonly string[],
  on: string,
): Promise<AgreedLumpSum[]> {
  const { rows } = await sql<AgreedLumpSum>`
    select distinct on (l."optionId", lower(c."scope"))
      l."contractId", c."number", c."scope", l."optionId", l."costCodeId", l."description", l."amount"
    from "lumpSums" as l
    join "contracts" as c on c."organizationId" = l."organizationId" and c."id" = l."contractId"
    join "vendors" as v on v."organizationId" = c."organizationId" and v."id" = c."vendorId"
    where l."organizationId" = ${organizationId}
      and (l."planId" = ${planId} and (l."elevation" is null or l."elevation" = ${elevation})
        or l."optionId" = any(${[...optionIds]}::text[]))
      and (l."communityId" is null or l."communityId" = ${communityId})
      and l."effectiveDate" <= ${on} and coalesce(l."expirationDate" >= ${on}, true)
      and v."status" = 'active' and v."archivedAt" is null
    order by l."optionId", lower(c."scope"), l."elevation" is null, l."communityId" is null, c."preferred" desc,
      l."amount", l."contractId", l."place"
    limit ${MAX_SUMS + 1}`.execute(db)
  if (rows.length <= MAX_SUMS) return rows
  throw conflict(
    'limit_reached',
    `Cannot price ${name}: more than ${formatNumber(MAX_SUMS)} lump sums apply to it and its options. Terminate contracts that are no longer used.`,
  )
}
