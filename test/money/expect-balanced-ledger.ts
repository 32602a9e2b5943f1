import { sql } from 'kysely'
import { expect } from 'vitest'
import { checkLedgers } from '../../server/domain/ledger/check-ledgers.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Asserts that the ledger balances for each home, order, vendor, cost code, and date. Also asserts that each order with
 * its change orders is within its limits, and that the amounts stored in records match their postings and payments.
 *
 * @param organizationId the builder to check; by default, all builders
 */
export async function expectBalancedLedger(
  { database, app }: Pick<TestPlumbline, 'database' | 'app'>,
  organizationId: string | null = null,
): Promise<void> {
  const { statements } = database
  const queries = [findImbalances(organizationId), findBrokenLimits(organizationId), findWrongAmounts(organizationId)]
  for (const query of queries) expect((await query.execute(statements)).rows).toEqual([])
  await sql`
    delete from "ledgerChecks"
    where ${organizationId}::text is null or "organizationId" = ${organizationId}`.execute(statements)
  await checkLedgers(app.services)
  const differences = await sql`
    select "label", "measure", "posted", "expected" from "ledgerDifferences"
    where ${organizationId}::text is null or "organizationId" = ${organizationId}`.execute(statements)
  expect(differences.rows).toEqual([])
}

const findImbalances = (organizationId: string | null) => sql`
  select "effectiveDate", "homeId", "poId", "vendorId", "costCodeId", sum(case "measure" when 'cost' then "amount"
    when 'unbilled' then - "amount" when 'payable' then - "amount" when 'retainage' then - "amount"
    when 'paid' then - "amount" when 'discount' then - "amount" when 'withheldTax' then - "amount"
    when 'payroll' then - "amount" when 'other' then - "amount" else 0 end) as "difference"
  from "postings"
  where ${organizationId}::text is null or "organizationId" = ${organizationId}
  group by 1, 2, 3, 4, 5
  having sum(case "measure" when 'cost' then "amount" when 'unbilled' then - "amount" when 'payable' then - "amount"
    when 'retainage' then - "amount" when 'paid' then - "amount" when 'discount' then - "amount"
    when 'withheldTax' then - "amount" when 'payroll' then - "amount" when 'other' then - "amount" else 0 end) <> 0`

/**
 * SQL that finds records whose stored amounts differ from their postings and payments. Payments that were made before
 * an order was migrated have no postings.
 */
const findWrongAmounts = (organizationId: string | null) => sql`
  with "posted" as (
    select "organizationId", "poId", - sum("amount") filter (where "measure" = 'unbilled' and "billId" is not null) as "billed",
      sum("amount") filter (where "measure" in ('paid', 'discount', 'withheldTax')) as "paid",
      - sum("amount") filter (where "measure" = 'retainage' and "paymentId" is not null) as "released"
    from "postings"
    where "poId" is not null and (${organizationId}::text is null or "organizationId" = ${organizationId})
    group by 1, 2
  ), "pending" as (
    select a."organizationId", a."poId",
      sum(a."amount" - a."retainageWithheld") filter (where p."paymentType" <> 'retainage_release') as "reserved",
      sum(a."amount") filter (where p."paymentType" = 'retainage_release') as "releasing"
    from "payments" as p
    join "paymentAllocations" as a on a."organizationId" = p."organizationId" and a."paymentId" = p."id"
    where p."status" in ('pending', 'approved') and (${organizationId}::text is null or p."organizationId" = ${organizationId})
    group by 1, 2
  ), "settled" as (
    select b."organizationId", b."id", coalesce((
        select sum(a."amount" - a."retainageWithheld") from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId" and p."status" = 'paid'
        where a."organizationId" = b."organizationId" and a."billId" = b."id"), 0)
      + coalesce((
        select sum(o."appliedAmount") from "billOrders" as o
        where o."organizationId" = b."organizationId" and o."billId" = b."id"), 0) as "paid",
      coalesce((
        select sum(a."amount" - a."retainageWithheld") from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
          and p."status" in ('pending', 'approved')
        where a."organizationId" = b."organizationId" and a."billId" = b."id"), 0) as "reserved",
      (select sum("amount") from "billLines" as l
        where l."organizationId" = b."organizationId" and l."billId" = b."id") as "gross",
      (select sum("retainageWithheld") from "billLines" as l
        where l."organizationId" = b."organizationId" and l."billId" = b."id") as "withheld"
    from "bills" as b
    where b."status" in ('approved', 'partially_paid', 'paid')
      and (${organizationId}::text is null or b."organizationId" = ${organizationId})
  )
  select o."number", array[o."billedAmount", o."paidAmount", o."releasedAmount", o."reservedAmount", o."releasingAmount"] as "stored",
    array[coalesce(p."billed", 0), coalesce(p."paid", 0), coalesce(p."released", 0), coalesce(w."reserved", 0),
      coalesce(w."releasing", 0)] as "expected"
  from "purchaseOrders" as o
  left join "posted" as p on p."organizationId" = o."organizationId" and p."poId" = o."id"
  left join "pending" as w on w."organizationId" = o."organizationId" and w."poId" = o."id"
  where o."paidElsewhere" is null and (${organizationId}::text is null or o."organizationId" = ${organizationId})
    and (o."billedAmount", o."paidAmount", o."releasedAmount", o."reservedAmount", o."releasingAmount")
      is distinct from (coalesce(p."billed", 0), coalesce(p."paid", 0), coalesce(p."released", 0),
        coalesce(w."reserved", 0), coalesce(w."releasing", 0))
  union all
  select b."number", array[b."paidAmount", b."reservedAmount"], array[s."paid", s."reserved"]
  from "settled" as s
  join "bills" as b on b."organizationId" = s."organizationId" and b."id" = s."id"
  where (b."paidAmount", b."reservedAmount") is distinct from (s."paid", s."reserved")
    or (b."status" = 'paid') <> (b."amount" = b."paidAmount")
    or (b."grossAmount", b."retainageWithheld") is distinct from (s."gross", s."withheld")
    or b."amount" <> b."grossAmount" - b."retainageWithheld"
  union all
  select p."number", array[p."amount", p."discountTaken", p."backupWithheld"], array[sum(a."amount" - a."retainageWithheld")]
  from "payments" as p
  join "paymentAllocations" as a on a."organizationId" = p."organizationId" and a."paymentId" = p."id"
  where p."status" = 'paid' and (${organizationId}::text is null or p."organizationId" = ${organizationId})
  group by p."organizationId", p."id"
  having p."amount" + p."discountTaken" + p."backupWithheld" <> sum(a."amount" - a."retainageWithheld")`

/**
 * SQL that finds orders that, together with their change orders, exceed a limit: B <= C + S <= T, P + Q <= T, and
 * releases up to the withheld amount. A credit that is completed before other work is not billed, so the billed amount
 * is 0 while the completed amount is negative.
 */
const findBrokenLimits = (organizationId: string | null) => sql`
  with "wholes" as (
    select r."organizationId", r."id", r."number", sign(r."total") as "sign",
      sum(m."total") filter (where m."id" = r."id" and m."status" not in ('void', 'declined')
        or m."id" <> r."id" and m."total" >= 0
          and m."status" in ('issued', 'accepted', 'partially_completed', 'completed', 'closed')
        or m."id" <> r."id" and m."total" < 0
          and m."status" in ('approved', 'issued', 'accepted', 'partially_completed', 'completed', 'closed')) as "total",
      sum(m."completedAmount" + m."storedAmount") as "done", sum(m."billedAmount") as "billed",
      sum(m."paidAmount") as "paid", sum(m."reservedAmount" + m."releasingAmount") as "reserved",
      sum(m."releasedAmount" + m."releasingAmount") as "released",
      coalesce(sum((select sum(x."retainageWithheld") from "billOrders" as x
        join "bills" as b on b."organizationId" = x."organizationId" and b."id" = x."billId"
          and b."status" in ('approved', 'partially_paid', 'paid')
        where x."organizationId" = m."organizationId" and x."poId" = m."id")), 0) as "withheld"
    from "purchaseOrders" as r
    join "purchaseOrders" as m on m."organizationId" = r."organizationId" and coalesce(m."rootPoId", m."id") = r."id"
    where r."rootPoId" is null and r."status" <> 'void' and r."total" <> 0
      and (${organizationId}::text is null or r."organizationId" = ${organizationId})
    group by r."organizationId", r."id", r."number", r."total"
  )
  select * from "wholes"
  where "sign" * "billed" > greatest("sign" * "done", 0) or "sign" * ("paid" + "reserved") > "sign" * "total"
    or "sign" * "released" > "sign" * "withheld"`
