import { sql } from 'kysely'
import type { Call } from '../../../platform/calls/call.ts'
import { COMMITTED_STATUSES, OPEN_STATUSES, UNSETTLED_STATUSES } from '../../statuses/order-statuses.ts'
import type { FieldRecord, TrackRecord } from './scorecard.ts'

/** Returns the track record of each vendor in a period of full days in the organization's time zone. */
export async function findTrackRecords(
  { db, organizationId, timeZone }: Call,
  vendorIds: readonly string[],
  { from, to }: { from: string | null; to: string | null },
): Promise<Map<string, TrackRecord>> {
  const inPeriod = (column: string) => sql`(
    (${from}::date is null or ${sql.ref(column)} >= "dayStart"(${from}::date, ${timeZone}))
    and (${to}::date is null or ${sql.ref(column)} < "dayStart"(${to}::date + 1, ${timeZone})))`
  const { rows } = await sql<TrackRecord & { vendorId: string }>`
    select v."id" as "vendorId",
      (select json_build_object(
        'sent', count(*),
        'answered', count(*) filter (where i."status" in ('will_bid', 'declined', 'submitted')),
        'unanswered', count(*) filter (where i."status" = 'no_response'))
      from "invitations" i
      where i."organizationId" = ${organizationId} and i."vendorId" = v."id" and ${inPeriod('i.sentAt')}
        and i."sentAt" is not null) as "invitations",
      (select json_build_object(
        'submitted', count(*),
        'accepted', count(*) filter (where b."status" = 'accepted'),
        'rejected', count(*) filter (where b."status" = 'rejected'))
      from "bids" b
      where b."organizationId" = ${organizationId} and b."vendorId" = v."id" and ${inPeriod('b.submittedAt')}) as "bids",
      (select json_build_object('count', count(*), 'amount', coalesce(sum(p."total"), 0))
      from "purchaseOrders" p
      where p."organizationId" = ${organizationId} and p."vendorId" = v."id"
        and p."status" = any(${[...COMMITTED_STATUSES]}::text[]) and ${inPeriod('p.createdAt')}) as "orders",
      (select coalesce(sum(p."total"), 0)
      from "purchaseOrders" p
      where p."organizationId" = ${organizationId} and p."vendorId" = v."id"
        and p."status" = any(${[...UNSETTLED_STATUSES]}::text[])) as "openCommitment",
      (select coalesce(sum(p."payableAmount"), 0)
      from "purchaseOrders" p
      where p."organizationId" = ${organizationId} and p."vendorId" = v."id"
        and p."status" = any(${[...OPEN_STATUSES]}::text[])) as "payable",
      array(${selectVariancePercents(organizationId, inPeriod('p.createdAt'))}) as "variancePercents"
    from unnest(${[...vendorIds]}::text[]) as v("id")`.execute(db)
  return new Map(rows.map(({ vendorId, ...record }) => [vendorId, record]))
}

/**
 * Returns the figures about a vendor's work on site and after closing, in a period of full days in the organization's
 * time zone.
 */
export async function findFieldRecord(
  { db, organizationId, timeZone }: Call,
  vendorId: string,
  { from, to }: { from: string | null; to: string | null },
): Promise<FieldRecord> {
  const inPeriod = (column: string) => sql`(
    (${from}::date is null or ${sql.ref(column)} >= "dayStart"(${from}::date, ${timeZone}))
    and (${to}::date is null or ${sql.ref(column)} < "dayStart"(${to}::date + 1, ${timeZone})))`
  const onDays = (column: string) => sql`(
    (${from}::date is null or ${sql.ref(column)} >= ${from}::date) and (${to}::date is null or ${sql.ref(column)} <= ${to}::date))`
  const own = JSON.stringify([{ vendorId }])
  const { rows } = await sql<FieldRecord>`
    select p.*, i.*, l.*, w.*, h.*
    from (
      select count(*)::integer as "punchItems",
        count(*) filter (where p."fixedAt" is not null or p."reopenedCount" > 0)::integer as "fixedItems",
        count(*) filter (where p."reopenedCount" > 0)::integer as "reopenedItems",
        (avg(extract(epoch from p."fixedAt" - p."assignedAt") / 86400)
          filter (where p."fixedAt" >= p."assignedAt"))::float8 as "daysToFix"
      from "punchItems" as p
      where p."organizationId" = ${organizationId} and p."vendorId" = ${vendorId} and p."status" <> 'cancelled'
        and ${inPeriod('p.createdAt')}
    ) as p
    cross join (
      select count(*)::integer as "inspections", count(*) filter (
        where not i."items" @> ${JSON.stringify([{ vendorId, result: 'fail' }])}::jsonb)::integer as "passedInspections"
      from "inspections" as i
      where i."organizationId" = ${organizationId} and i."status" = 'completed' and i."attempt" = 1
        and i."items" @> ${own}::jsonb and ${onDays('i.completedDate')}
    ) as i
    cross join (
      select count(*)::integer as "noShows" from "dailyLogs" as l
      where l."organizationId" = ${organizationId} and l."crews" @> ${JSON.stringify([{ vendorId, noShow: true }])}::jsonb
        and ${onDays('l.logDate')}
    ) as l
    cross join (
      select count(*)::integer as "warrantyRequests",
        count(*) filter (where r."vendorId" = ${vendorId})::integer as "assignedRequests",
        count(*) filter (where r."vendorId" = ${vendorId}
          and (r."completedAt" > r."completeBy" or (r."isOverdue" and r."completedAt" is null)))::integer as "overdueRequests"
      from "warrantyRequests" as r
      where r."organizationId" = ${organizationId} and coalesce(r."responsibleVendorId", r."vendorId") = ${vendorId}
        and r."status" <> 'cancelled' and ${inPeriod('r.createdAt')}
    ) as w
    cross join (
      select count(*)::integer as "closedHomes" from "homes" as h
      where h."organizationId" = ${organizationId} and h."status" in ('closed', 'warranty') and exists (
        select from "purchaseOrders" as o
        where o."organizationId" = ${organizationId} and o."homeId" = h."id" and o."vendorId" = ${vendorId}
          and o."issuedAt" is not null and o."status" <> 'void')
    ) as h`.execute(db)
  const [record] = rows
  if (record === undefined) throw new Error('Expected one row.')
  return record
}

// A job consists of all orders from the vendor for one home and trade, including variance orders. The expected cost is
// the total of the accepted bids from which the orders were created, excluding tax, and including awarded alternates.
// If there are no accepted bids, the expected cost is the budget. Backcharges are excluded, because a penalty does not
// reduce the cost of a job.
function selectVariancePercents(organizationId: string, isInPeriod: ReturnType<typeof sql>) {
  return sql`
    select ((case when job."offered" is null then job."total" else job."subtotal" end / expected."amount" - 1) * 100)::float8
    from (
      select p."homeId", lower(p."scope") as "scope", sum(p."total") as "total", sum(p."subtotal") as "subtotal", (
        select sum(case when b."awardedLineIds" is null then b."amount" else (
          select sum((line ->> 'amount')::numeric) from jsonb_array_elements(b."lines"::jsonb) as line
          where line ->> 'lineId' = any(b."awardedLineIds")) end + (
          select coalesce(sum((b."alternates"::jsonb -> position::integer ->> 'amount')::numeric), 0)
          from jsonb_array_elements_text(b."awardedAlternates"::jsonb) as position))
        from "bids" b
        where b."organizationId" = ${organizationId} and b."id" = any(array_agg(p."bidId"))) as "offered"
      from "purchaseOrders" p
      where p."organizationId" = ${organizationId} and p."vendorId" = v."id"
        and p."status" = any(${[...COMMITTED_STATUSES]}::text[]) and p."poType" <> 'backcharge'
      group by p."homeId", lower(p."scope")
      having bool_or(${isInPeriod})
    ) as job
    cross join lateral (
      select coalesce(job."offered", (
        select sum(l."budgeted") from "budgetLines" l
        where l."organizationId" = ${organizationId} and l."homeId" = job."homeId" and lower(l."scope") = job."scope"
          and l."archivedAt" is null)) as "amount"
    ) as expected
    where expected."amount" > 0`
}
