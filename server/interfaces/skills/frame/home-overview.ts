import { sql } from 'kysely'
import type { Home } from '../../../../client/contract.gen.ts'
import { toContractPriceSql, toHomePriceSql } from '../../../domain/land/homes/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { notFound } from '../../../platform/problems/problem.ts'

/** The fields of a home in reports about one home. */
export interface HomeOverview extends Pick<Home, 'status' | 'communityId' | 'planId' | 'salesStatus' | 'startDate'> {
  home: string
  price: number | null
  contractPrice: number | null
  closingDate: string | null
  forecastCompletionDate: string | null
  budgetLockedAt: string | null
  percentComplete: number
}

/** Returns a home by its ID. The home exists, because the ID comes from a resolved reference. */
export async function findHomeOverview({ db, organizationId }: Call, homeId: string): Promise<HomeOverview> {
  const { rows } = await sql<HomeOverview>`
    select h."name" || ', ' || c."name" as "home", h."status", h."communityId", h."planId", h."salesStatus", h."startDate",
      ${sql.raw(toHomePriceSql('h'))} as "price", ${sql.raw(toContractPriceSql('h'))} as "contractPrice", h."closingDate",
      h."forecastCompletionDate", h."budgetLockedAt", h."percentComplete"
    from "homes" h join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where h."organizationId" = ${organizationId} and h."id" = ${homeId}`.execute(db)
  const [home] = rows
  if (home === undefined) throw notFound()
  return home
}
