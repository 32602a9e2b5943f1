import { sql } from 'kysely'
import type { AllocateOverheadResult } from '../../../../client/contract.gen.ts'
import { toContractPriceSql, toHomePriceSql } from '../../../domain/land/homes/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { divideAmount, sum } from '../../../platform/values/money.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'

/**
 * The maximum number of homes. More homes are rejected, because the total would be wrong if only some of them received
 * a share.
 */
const MAX_HOMES = 2000

interface HomeShare {
  homeId: string
  home: string
  days: number
  budget: number
  price: number
}

export async function allocateOverhead(
  { month, amount, basis, communityId }: Checked['AllocateOverheadInput'],
  call: Call,
): Promise<AllocateOverheadResult> {
  const found = await findHomesUnderConstruction(call, month, communityId)
  if (found.length > MAX_HOMES)
    throw problem('too_much_work', `The overhead would be allocated to more than ${MAX_HOMES} homes. Set communityId.`)
  const weightOf = (home: HomeShare) => (basis === 'equal' ? 1 : home[basis])
  const bearing = found.filter((home) => weightOf(home) > 0)
  const shares = bearing.length === 0 ? [] : divideAmount(amount, bearing.map(weightOf), call.currency)
  const homes = bearing.map((home, i) => ({
    ...{ homeId: home.homeId, home: home.home, weight: weightOf(home), share: shares[i] ?? 0 },
  }))
  homes.sort((a, b) => b.share - a.share || (a.home < b.home ? -1 : 1))
  const left = found.length - bearing.length
  return {
    ...{ month, basis, amount, allocated: sum(homes.map(({ share }) => share)), homes },
    ...createReportFooter(call, {
      unknown: selectSentences(
        found.length === 0 && 'No home was under construction in that month.',
        left > 0 && `Number of homes that get no share because they have no ${basis}: ${left}.`,
        'No records are changed. Enter the shares in your accounting system.',
      ),
    }),
    currency: call.currency,
  }
}

/** Returns the homes that were started before the end of the month and were not completed before its beginning. */
async function findHomesUnderConstruction(
  call: Call,
  month: string,
  communityId: string | undefined,
): Promise<HomeShare[]> {
  const { db, organizationId } = call
  const first = `${month}-01`
  const { rows } = await sql<HomeShare>`
    with "month" as (
      select ${first}::date as "first", (${first}::date + interval '1 month')::date - 1 as "last"
    )
    select h."id" as "homeId", h."name" || ', ' || c."name" as "home",
      least(coalesce(h."actualCompletionDate", m."last"), m."last") - greatest(h."startDate", m."first") + 1 as "days",
      coalesce((select sum(b."budgeted") from "budgetLines" b where b."organizationId" = h."organizationId"
        and b."homeId" = h."id" and b."archivedAt" is null), 0) as "budget",
      coalesce(${sql.raw(toContractPriceSql('h'))}, ${sql.raw(toHomePriceSql('h'))}, 0) as "price"
    from "month" m
    join "homes" h on h."organizationId" = ${organizationId} and h."startDate" <= m."last"
      and coalesce(h."actualCompletionDate" >= m."first", true) and h."status" <> 'cancelled'
    join "communities" c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null})
    order by h."id" limit ${MAX_HOMES + 1}`.execute(db)
  return rows
}
