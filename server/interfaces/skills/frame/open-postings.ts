import { type RawBuilder, sql } from 'kysely'
import { toPostingConditions } from '../../../domain/ledger/posting-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'

interface OpenPostingsQuery {
  through: string
  knownAt?: string | undefined
  vendorId?: string | undefined
  communityId?: string | undefined
}

/**
 * Returns a query for the postings of all orders and bills that may have had a payable, retained, or unbilled balance
 * at the end of a day. These are the records that have such a balance now, and those with a posting after that day. All
 * other balances are zero. The duration of the query therefore depends on the number of open records, not on the age of
 * the ledger.
 *
 * The amounts in orders and bills are used only to select the postings. All amounts in the result come from the
 * postings.
 */
export function selectOpenPostings(call: Call, query: OpenPostingsQuery): RawBuilder<unknown> {
  const { organizationId } = call
  const { through, knownAt, vendorId, communityId } = query
  const isOpenMeasure = sql`p."measure" in ('payable', 'retainage', 'unbilled')`
  const conditions = sql.join(
    [
      ...toPostingConditions(call, { to: through, knownAt, vendorId }),
      isOpenMeasure,
      ...(communityId === undefined
        ? []
        : [
            sql`p."homeId" = any(array(
              select "id" from "homes" where "organizationId" = ${organizationId} and "communityId" = ${communityId}))`,
          ]),
    ],
    sql` and `,
  )
  const ofVendor = (table: string) =>
    vendorId === undefined ? sql`` : sql`and ${sql.ref(table)}."vendorId" = ${vendorId}`
  const changedSince = (moment: RawBuilder<unknown>) => sql`
    select p."poId", p."billId" from "postings" p
    where p."organizationId" = ${organizationId} and ${moment} and ${isOpenMeasure} ${ofVendor('p')}`
  return sql`
    with "changed" as materialized (
      ${changedSince(sql`p."effectiveDate" > ${through}::date`)}
      ${knownAt === undefined ? sql`` : sql`union all ${changedSince(sql`p."recordedAt" > ${knownAt}::timestamptz`)}`}
    ), "openBills" as materialized (
      -- The statuses are literals, to match the condition of the index bills_open.
      select b."id" from "bills" b
      where b."organizationId" = ${organizationId} and b."status" in ('approved', 'partially_paid') ${ofVendor('b')}
      union
      select "billId" from "changed" where "billId" is not null
    ), "openOrders" as materialized (
      select o."id" from "purchaseOrders" o
      where o."organizationId" = ${organizationId} ${ofVendor('o')}
        and (o."payableAmount" <> 0 or o."retainedAmount" <> 0 or o."unbilledAmount" <> 0)
      union
      select l."poId" from "billOrders" l
      where l."organizationId" = ${organizationId} and l."billId" = any(array(select "id" from "openBills"))
      union
      select "poId" from "changed" where "poId" is not null
    )
    select p.* from "postings" p where ${conditions} and p."poId" = any(array(select "id" from "openOrders"))
    union all
    select p.* from "postings" p
    where ${conditions} and p."poId" is null and p."billId" = any(array(select "id" from "openBills"))
    union all
    -- Deposits and excess payments of a vendor that name no order.
    select p.* from "postings" p
    where ${conditions} and p."poId" is null and p."billId" is null and p."measure" = 'payable' and p."vendorId" is not null`
}
