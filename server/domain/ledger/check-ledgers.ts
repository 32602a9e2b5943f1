import { sql } from 'kysely'
import type { Services } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import { COMMITTED_STATUSES } from '../statuses/order-statuses.ts'

const DAY_MS = 86_400_000
/** More than anybody corrects one by one; the reason is then a common one. */
const MAX_DIFFERENCES = 1000

/**
 * Compares the figures of orders, payments, homes and sales with their postings once a day for each builder, and keeps
 * the differences for exceptionsToday. The figures are a cache: postings are right.
 */
export async function checkLedgers({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<void> {
  for (;;) {
    const now = clock.now()
    const isMore = await database.transaction(async (trx) => {
      const organizationId = await claim(trx, now)
      if (organizationId === null) return false
      await compare(trx, organizationId)
      return true
    })
    if (!isMore) return
  }
}

/** A builder whose ledger is due, which no other process checks until the transaction ends. */
async function claim(trx: Db, now: Date): Promise<string | null> {
  const before = new Date(now.getTime() - DAY_MS)
  await sql`
    insert into "ledgerChecks" ("organizationId", "checkedAt")
    select l."organizationId", '-infinity' from "ledgers" as l
    where not exists (select from "ledgerChecks" as c where c."organizationId" = l."organizationId")
    on conflict do nothing`.execute(trx)
  const { rows } = await sql<{ organizationId: string }>`
    update "ledgerChecks" set "checkedAt" = ${now}
    where "organizationId" = (
      select "organizationId" from "ledgerChecks" where "checkedAt" < ${before}
      order by "organizationId" limit 1 for update skip locked)
    returning "organizationId"`.execute(trx)
  return rows[0]?.organizationId ?? null
}

/** Replaces the known differences of a builder, in one statement that sees records and postings at the same moment. */
async function compare(trx: Db, organizationId: string): Promise<void> {
  await sql`delete from "ledgerDifferences" where "organizationId" = ${organizationId}`.execute(trx)
  await sql`
    insert into "ledgerDifferences" ("organizationId", "recordId", "measure", "label", "posted", "expected")
    with "expected" as (
      select "id" as "recordId", 'cost' as "measure", "number" as "label", "completedAmount" as "amount"
      from "purchaseOrders" where "organizationId" = ${organizationId} and "status" <> 'void'
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
    ), "posted" as (
      select case "measure" when 'paid' then "paymentId" when 'contract' then "saleId" when 'budget' then "homeId"
          when 'payroll' then "homeId" else "poId" end as "recordId", "measure", sum("amount") as "amount"
      from "postings"
      where "organizationId" = ${organizationId} and "measure" in ('cost', 'commitment', 'paid', 'budget', 'payroll', 'contract')
      group by 1, 2
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
