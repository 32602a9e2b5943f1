import { CompiledQuery } from 'kysely'
import type { DuplicatePurchaseOrders, PurchaseOrderGroup } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'

/** Twenty duplicates of a kind are enough to recognize the problem. */
const MAX_SHOWN = 20

// Excludes orders with a total of zero, which the total cannot distinguish, and backcharges. Orders with equal lines
// have equal totals, so the statement reads only orders that have the same home, vendor, and total in the index
// purchaseOrders_alike, and then compares their lines.
const ALIKE_SQL = `
  with twins as materialized (
    select o."id", o."homeId", o."vendorId", o."totalInCents", o."total", o."number", o."status", o."scope", o."createdAt",
      coalesce(o."parentPoId", '') as "origin"
    from (
      select "homeId", "vendorId", "totalInCents" from "purchaseOrders"
      where "organizationId" = $1 and "status" not in ('void', 'declined') and "totalInCents" > 0
        and ($2::text is null or "homeId" = $2)
        and ($3::text is null or "homeId" in (select "id" from "homes" where "organizationId" = $1 and "communityId" = $3))
      group by "homeId", "vendorId", "totalInCents"
      having count(*) > 1
    ) as same
    join "purchaseOrders" as o on o."organizationId" = $1 and o."homeId" = same."homeId"
      and o."vendorId" = same."vendorId" and o."totalInCents" = same."totalInCents"
      and o."status" not in ('void', 'declined')
  ), marked as (
    select t.*, (
      select md5(string_agg(concat_ws('|', lower(btrim(l."description")), l."quantity", l."unitPrice"), ';'
        order by lower(btrim(l."description")), l."quantity", l."unitPrice"))
      from "purchaseOrderLines" as l where l."organizationId" = $1 and l."purchaseOrderId" = t."id"
    ) as "lines"
    from twins as t
  ), compared as (
    select m.*,
      count(*) over (partition by m."homeId", m."vendorId", m."totalInCents", m."lines") > 1 as "sameLines",
      count(*) over (partition by m."homeId", m."vendorId", m."totalInCents", m."scope", m."origin") > 1 as "sameScope"
    from marked as m
  ), ranked as (
    select c.*, row_number() over (
      partition by c."homeId", c."vendorId", c."totalInCents" order by c."createdAt", c."id") as "place"
    from compared as c where c."sameLines" or c."sameScope"
  )
  select "homeId", "vendorId", min("total") as "total", count(*)::integer as "count",
    min("total") * (count(*) - 1) as "excess",
    array_remove(array[
      case when bool_or("sameLines") then 'same_lines' end, case when bool_or("sameScope") then 'same_scope' end
    ], null) as "likeness",
    json_agg(json_build_object('poId', "id", 'number', "number", 'status', "status", 'scope', "scope",
      'createdAt', "createdAt") order by "place") filter (where "place" <= ${MAX_SHOWN}) as "orders"
  from ranked
  group by "homeId", "vendorId", "totalInCents"
  order by "excess" desc, "homeId", "vendorId"
  limit $4`

/** Returns orders that may be duplicates, starting with the highest total. */
export async function findDuplicates(
  { db, organizationId, currency, now }: Call,
  { homeId, communityId, limit }: Input<'findDuplicatePurchaseOrders'>['query'],
): Promise<DuplicatePurchaseOrders> {
  const { rows } = await db.executeQuery<PurchaseOrderGroup>(
    CompiledQuery.raw(ALIKE_SQL, [organizationId, homeId ?? null, communityId ?? null, limit + 1]),
  )
  return {
    asOf: now.toISOString(),
    currency,
    sets: rows.slice(0, limit).map(normalizeTimestamps),
    hasMore: rows.length > limit,
  }
}

// In JSON from the database, timestamps have the format of the database.
function normalizeTimestamps(alike: PurchaseOrderGroup): PurchaseOrderGroup {
  const orders = alike.orders.map((order) => ({ ...order, createdAt: new Date(order.createdAt).toISOString() }))
  return { ...alike, orders }
}
