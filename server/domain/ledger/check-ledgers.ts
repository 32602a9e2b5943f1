import { sql } from 'kysely'
import type { Services } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DueSql } from '../../platform/due/find-due-jobs.ts'
import { COMMITTED_STATUSES } from '../statuses/order-statuses.ts'
import type { Measure } from './posting.ts'

const DAY_MS = 86_400_000
/**
 * The maximum number of stored differences. A larger number has a common cause, so users do not correct it one by one.
 */
const MAX_DIFFERENCES = 1000

export const toUncheckedLedgersSql: DueSql = (now) => sql`
  select l."organizationId" from "ledgers" as l
  left join "ledgerChecks" as c on c."organizationId" = l."organizationId"
  where c."checkedAt" is null or c."checkedAt" < ${new Date(now.getTime() - DAY_MS)}`

/** A difference between a record and its postings. */
export interface LedgerDifference {
  recordId: string
  measure: Measure
}

/** Posts the differences that can be posted. Returns whether it posted any. */
type Correct = (organizationId: string, differences: readonly LedgerDifference[]) => Promise<boolean>

/**
 * Once a day, compares the figures of each builder's orders, bills, payments, homes, and sales with their postings.
 * Stores the differences, which exceptionsToday reports. The postings are authoritative, and the figures of the records
 * are a cache.
 */
export async function checkLedgers(
  { database, clock }: Pick<Services, 'database' | 'clock'>,
  correct: Correct = async () => false,
): Promise<void> {
  for (;;) {
    const now = clock.now()
    const organizationId = await database.transaction(async (trx) => {
      const claimed = await claim(trx, now)
      if (claimed !== null) await compare(trx, claimed)
      return claimed
    })
    if (organizationId === null) return
    const { rows } = await sql<LedgerDifference>`
      select "recordId", "measure" from "ledgerDifferences" where "organizationId" = ${organizationId}
      order by "recordId", "measure" limit ${MAX_DIFFERENCES}`.execute(database.statements)
    if (rows.length > 0 && (await correct(organizationId, rows)))
      await database.transaction((trx) => compare(trx, organizationId))
  }
}

/**
 * Claims the ledger of a builder that is due for a check, and returns the builder's ID; null if no check is due. Until
 * the transaction ends, no other process checks this ledger.
 */
async function claim(trx: Db, now: Date): Promise<string | null> {
  const before = new Date(now.getTime() - DAY_MS)
  await sql`
    insert into "ledgerChecks" ("organizationId", "checkedAt")
    select l."organizationId", '-infinity' from "ledgers" as l
    where not exists (select from "ledgerChecks" as c where c."organizationId" = l."organizationId")
    on conflict do nothing`.execute(trx)
  const waiting = await sql<{ organizationId: string }>`
    select "organizationId" from "ledgerChecks" where "checkedAt" < ${before}
    order by "organizationId" limit ${MAX_CANDIDATES}`.execute(trx)
  for (const { organizationId } of waiting.rows) {
    const { rows } = await sql`
      select from "ledgerChecks" where "organizationId" = ${organizationId} and "checkedAt" < ${before}
      for update skip locked`.execute(trx)
    if (rows.length === 0) continue
    await sql`update "ledgerChecks" set "checkedAt" = ${now} where "organizationId" = ${organizationId}`.execute(trx)
    return organizationId
  }
  return null
}

/** The number of builders to try, because other processes may already be checking the first ones. */
const MAX_CANDIDATES = 20

/**
 * Replaces the stored differences of a builder. The comparison is a single statement, so that it sees records and
 * postings at the same moment.
 */
async function compare(trx: Db, organizationId: string): Promise<void> {
  await sql`delete from "ledgerDifferences" where "organizationId" = ${organizationId}`.execute(trx)
  await sql`
    insert into "ledgerDifferences" ("organizationId", "recordId", "measure", "label", "posted", "expected")
    with "expected" as (
      select o."id" as "recordId", m."measure", o."number" as "label", m."amount"
      from "purchaseOrders" as o
      cross join lateral (values
        ('cost', case when o."status" = 'void' then 0 else o."completedAmount" + o."storedAmount" end),
        ('unbilled', o."unbilledAmount"), ('payable', o."payableAmount"), ('retainage', o."retainedAmount"),
        ('stored', o."storedAmount")
      ) as m ("measure", "amount")
      where o."organizationId" = ${organizationId}
      union all
      -- Payments of an order without a bill are in the balance of the order only.
      select b."id", 'payable', b."number", b."amount" - coalesce((
          select sum(a."amount" - a."retainageWithheld") from "paymentAllocations" as a
          join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
          where a."organizationId" = b."organizationId" and a."billId" = b."id" and p."status" = 'paid'), 0)
        - coalesce((
          select sum(l."grossAmount" - l."retainageWithheld") from "billOrders" as l
          join "purchaseOrders" as o on o."organizationId" = l."organizationId" and o."id" = l."poId"
          where l."organizationId" = b."organizationId" and l."billId" = b."id" and o."paidElsewhere" is not null), 0)
      from "bills" as b
      where b."organizationId" = ${organizationId} and b."status" in ('approved', 'partially_paid', 'paid')
      union all
      select "id", 'commitment', "number", "total" from "purchaseOrders"
      where "organizationId" = ${organizationId} and "status" = any(${[...COMMITTED_STATUSES]}::text[])
      union all
      select "id", 'paid', "number", "amount" from "payments"
      where "organizationId" = ${organizationId} and "status" = 'paid'
      union all
      select h."id", 'budget', h."name", sum(b."budgeted") from "homes" as h
      join "budgetLines" as b on b."organizationId" = h."organizationId" and b."homeId" = h."id" and b."archivedAt" is null
      where h."organizationId" = ${organizationId} and h."budgetLockedAt" is not null group by h."id", h."name"
      union all
      select h."id", 'payroll', h."name", sum(t."cost") from "homes" as h
      join "timeEntries" as t on t."organizationId" = h."organizationId" and t."homeId" = h."id"
      where h."organizationId" = ${organizationId} and t."postedAt" is not null group by h."id", h."name"
      union all
      select s."id", 'contract', s."number", s."basePrice" + s."lotPremium" - s."incentives" - s."discounts"
        + case when s."homeId" is null then s."optionsFixed" else (
          select coalesce(sum(c."difference"), 0) from "selections" as c
          where c."organizationId" = s."organizationId" and c."homeId" = s."homeId"
            and c."status" in ('approved', 'ordered', 'installed')) end
      from "sales" as s
      where s."organizationId" = ${organizationId} and s."status" in ('approved', 'pipeline_complete')
      union all
      select "id", 'ownerDeposit', "number", "depositsReceived" from "sales" where "organizationId" = ${organizationId}
      union all
      select s."id", m."measure", s."number",
        sum(case m."measure" when 'ownerReceived' then a."receivedAmount" else a."billedAmount" end)
      from "applications" as a
      join "sales" as s on s."organizationId" = a."organizationId" and s."id" = a."saleId"
      join (values ('ownerBilled'), ('ownerReceived')) as m ("measure")
        on m."measure" = 'ownerReceived' or s."status" <> 'cancelled'
      where a."organizationId" = ${organizationId} and a."status" in ('certified', 'partially_paid', 'paid')
      group by s."id", s."number", m."measure"
      union all
      -- The retainage of an application includes that of the earlier applications.
      select s."id", 'ownerRetainage', s."number", (array_agg(a."retainage" order by a."number" desc))[1]
      from "applications" as a
      join "sales" as s on s."organizationId" = a."organizationId" and s."id" = a."saleId" and s."status" <> 'cancelled'
      where a."organizationId" = ${organizationId} and a."status" in ('certified', 'partially_paid', 'paid')
      group by s."id", s."number"
      union all
      select h."id", 'loan', h."name", sum(w."fundedAmount") from "homes" as h
      join "loanDraws" as w on w."organizationId" = h."organizationId" and w."homeId" = h."id" and w."status" = 'funded'
      where h."organizationId" = ${organizationId} group by h."id", h."name"
    ), "posted" as (
      select case "measure" when 'paid' then "paymentId" when 'budget' then "homeId" when 'payroll' then "homeId"
          when 'loan' then "homeId" when 'contract' then "saleId" when 'ownerDeposit' then "saleId"
          when 'ownerBilled' then "saleId" when 'ownerRetainage' then "saleId" when 'ownerReceived' then "saleId"
          else "poId" end as "recordId", "measure", sum("amount") as "amount"
      from "postings"
      where "organizationId" = ${organizationId} and "measure" in ('cost', 'commitment', 'unbilled', 'payable', 'retainage',
        'paid', 'budget', 'payroll', 'contract', 'stored', 'ownerBilled', 'ownerRetainage', 'ownerReceived', 'ownerDeposit',
        'loan')
      group by 1, 2
      union all
      select "billId", 'payable', sum("amount") from "postings"
      where "organizationId" = ${organizationId} and "measure" = 'payable' and "billId" is not null
      group by 1
    )
    select ${organizationId}, coalesce(e."recordId", p."recordId"), coalesce(e."measure", p."measure"),
      coalesce(e."label", p."recordId"), coalesce(p."amount", 0), coalesce(e."amount", 0)
    from "expected" as e
    -- Cost without an order, such as that of a journal, is in no other record.
    full join (select * from "posted" where "recordId" is not null) as p
      on p."recordId" = e."recordId" and p."measure" = e."measure"
    where coalesce(p."amount", 0) <> coalesce(e."amount", 0)
    order by 2, 3 limit ${MAX_DIFFERENCES}`.execute(trx)
}
