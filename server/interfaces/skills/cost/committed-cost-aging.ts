import { sql } from 'kysely'
import type { CommittedCostAgingInput, CommittedCostAgingResult } from '../../../../client/contract.gen.ts'
import { OPEN_STATUSES } from '../../../domain/statuses/order-statuses.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { createReportFooter } from '../frame/report.ts'

const MAX_LISTED = 50

/** The usual aging buckets, in days. */
const BUCKETS = ['0-30', '31-60', '61-90', '91-180', 'over 180']

interface AgedCosts {
  buckets: (CommittedCostAgingResult['buckets'][number] & { place: number })[] | null
  oldest: CommittedCostAgingResult['oldest'] | null
  count: number
}

export async function reportCommittedCostAging(
  { communityId }: CommittedCostAgingInput,
  call: Call,
): Promise<CommittedCostAgingResult> {
  const { db, organizationId, timeZone, now, currency } = call
  const { rows } = await sql<AgedCosts>`
    with "open" as materialized (
      select o."id", o."number", o."homeId", o."vendorId", o."scope", o."total", o."balance" as "unpaid",
        greatest((${now}::timestamptz at time zone ${timeZone})::date - (o."issuedAt" at time zone ${timeZone})::date, 0) as "ageDays"
      from "purchaseOrders" o
      where o."organizationId" = ${organizationId} and o."status" = any(${[...OPEN_STATUSES]}::text[]) and o."issuedAt" is not null
        and (${communityId ?? null}::text is null or o."homeId" = any(array(
          select "id" from "homes" where "organizationId" = ${organizationId} and "communityId" = ${communityId ?? null})))
    )
    select (select count(*) from "open") as "count",
      (select json_agg(b) from (
        select width_bucket("ageDays", array[31, 61, 91, 181]) as "place", count(*) as "count", sum("total") as "total",
          sum("unpaid") as "unpaid" from "open" group by 1) as b) as "buckets",
      (select json_agg(r) from (
        select o."homeId", h."name" || ', ' || c."name" as "home", o."id" as "poId", o."number",
          v."companyName" as "vendor", o."scope", o."ageDays", o."total", o."unpaid"
        from (select * from "open" order by "ageDays" desc, "id" limit ${MAX_LISTED}) as o
        join "homes" h on h."organizationId" = ${organizationId} and h."id" = o."homeId"
        join "communities" c on c."organizationId" = ${organizationId} and c."id" = h."communityId"
        join "vendors" v on v."organizationId" = ${organizationId} and v."id" = o."vendorId"
        order by o."ageDays" desc, o."id") as r) as "oldest"`.execute(db)
  const { buckets, oldest, count = 0 } = rows[0] ?? {}
  const byPlace = new Map((buckets ?? []).map(({ place, ...bucket }) => [place, bucket]))
  return {
    buckets: BUCKETS.map((days, place) => ({ count: 0, total: 0, unpaid: 0, ...byPlace.get(place), days })),
    oldest: oldest ?? [],
    // The aging buckets include all orders. Only the list is shortened.
    ...createReportFooter(call, { truncated: count > MAX_LISTED }),
    currency,
  }
}
