import { type Kysely, type RawBuilder, sql } from 'kysely'

/**
 * Posts the history from before the ledger, with the dates found in the records:
 *
 * - commitments on the day of approval, and their reversals on the day on which an order was voided or declined
 * - work at the invoice dates of the payments that billed it, and the remaining work when progress was last recorded
 * - payments at paidDate, and their reversals on the day on which they were voided
 * - time entries on their day, budgets at their lock and at the last change of a line, and contracts at the approval of
 *   the sale
 *
 * At the end, the balances must equal the amounts of the records. If the balances differ, the migration stops with a
 * list of the differences.
 *
 * Amounts are divided among the lines of an order in the same way as in the service: each line receives the rounded
 * running total minus the amounts of the previous lines. The new IDs consist of digits, so they sort before all later
 * IDs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select "id" from "organizations" limit 1`.execute(db)
  if (rows.length === 0) return
  await sql`create temporary table "history" on commit drop as ${HISTORY}`.execute(db)
  await sql`
    insert into "postings" ("organizationId", "id", "entryId", "measure", "amount", "effectiveDate", "recordedAt", "homeId",
      "scope", "costCodeId", "vendorId", "poId", "poLineId", "paymentId", "saleId", "basis", "note", "actor")
    select "organizationId", 'pst_' || lpad((row_number() over "inOrder")::text, 26, '0'),
      'ent_' || lpad((dense_rank() over "byEntry")::text, 26, '0'),
      "measure", "amount", "effectiveDate", now(), "homeId", "scope", "costCodeId", "vendorId", "poId", "poLineId", "paymentId",
      "saleId", 'migrated', 'Derived from older records.', '{"type": "system", "id": null}'
    from "history" where "amount" <> 0
    window "inOrder" as (order by "organizationId", "effectiveDate", "source", "poLineId", "measure"),
      "byEntry" as (order by "organizationId", "effectiveDate", "source")
    order by "organizationId", "effectiveDate", "source", "poLineId", "measure"`.execute(db)
  await sql`
    insert into "ledgers" ("organizationId", "startDate")
    select o."id", (now() at time zone o."timeZone")::date from "organizations" as o
    where exists (select from "history" as h where h."organizationId" = o."id") on conflict do nothing`.execute(db)
  const { rows: differences } = await DIFFERENCES.execute(db)
  if (differences.length > 0)
    throw new Error(
      `The ledger would differ from the records. Correct these first: ${differences
        .map(({ recordId, measure, posted, expected }) => `${recordId} ${measure} ${posted} instead of ${expected}`)
        .join('; ')}`,
    )
}

const COMMITTED = sql`('approved', 'issued', 'accepted', 'partially_completed', 'completed', 'closed')`

/** Returns the columns of a source. Columns that the source does not provide are null. */
const columns = (given: Record<string, RawBuilder<unknown>>) =>
  sql.join(
    [
      ...[
        'organizationId',
        'source',
        'effectiveDate',
        'measure',
        'amount',
        'homeId',
        'scope',
        'costCodeId',
        'vendorId',
      ],
      ...['poId', 'poLineId', 'paymentId', 'saleId'],
    ].map((name) => sql`${given[name] ?? sql`null`} as ${sql.ref(name)}`),
  )

const ofLine = {
  ...{ organizationId: sql`l."organizationId"`, homeId: sql`l."homeId"`, scope: sql`l."scope"` },
  ...{ costCodeId: sql`l."costCodeId"`, vendorId: sql`l."vendorId"`, poId: sql`l."poId"`, poLineId: sql`l."lineId"` },
}

/** Returns the date of a timestamp in the time zone of the organization. */
const dayOf = (instant: RawBuilder<unknown>, zone: string) => sql`(${instant} at time zone ${sql.ref(zone)})::date`

const both = (first: string, second: string) => sql`(values (${sql.lit(first)}), (${sql.lit(second)})) as m ("measure")`

const HISTORY = sql`
  with "fresh" as (
    select o."id", o."timeZone" from "organizations" as o
    where not exists (select from "postings" as p where p."organizationId" = o."id")
  ), "orderLines" as (
    select o."organizationId", f."timeZone", o."id" as "poId", o."homeId", o."scope", o."vendorId", o."status",
      o."completedAmount" as "orderDone", l."lineId", l."position", l."costCodeId", l."total" + l."taxAmount" as "ordered",
      l."completedAmount" as "done", (o."approval"->>'approvedAt')::timestamptz as "approvedAt", o."createdAt",
      ${dayOf(sql`coalesce(o."progressedAt", o."completedAt", o."updatedAt")`, 'f.timeZone')} as "doneOn",
      case when o."completedAmount" <> 0 then l."completedAmount"
        when o."total" <> 0 then l."total" + l."taxAmount" when l."position" = 0 then 1 else 0 end as "weight"
    from "purchaseOrders" as o join "fresh" as f on f."id" = o."organizationId"
    join "purchaseOrderLines" as l on l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
  ), "weighed" as (
    select l.*, sum("weight") over "inOrder" as "upTo", sum("weight") over "ofOrder" as "whole"
    from "orderLines" as l
    window "ofOrder" as (partition by "organizationId", "poId"), "inOrder" as ("ofOrder" order by "position")
  ), "billings" as (
    select b.*, coalesce(lag("upTo") over (partition by "organizationId", "poId" order by "billedOn"), 0) as "before"
    from (
      select a."organizationId", a."poId", coalesce(p."invoiceDate", ${dayOf(sql`p."createdAt"`, 'f.timeZone')}) as "billedOn",
        greatest(0, least(1, sum(sum(a."amount")) over (partition by a."organizationId", a."poId"
          order by coalesce(p."invoiceDate", ${dayOf(sql`p."createdAt"`, 'f.timeZone')})) / o."completedAmount")) as "upTo"
      from "paymentAllocations" as a
      join "fresh" as f on f."id" = a."organizationId"
      join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
      join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
      where p."status" in ('pending', 'approved', 'paid') and p."paymentType" in ('progress', 'final')
        and o."completedAmount" <> 0
      group by a."organizationId", a."poId", 3, o."completedAmount"
    ) as b
  ), "work" as (
    select l."organizationId", l."poId", l."lineId", least(b."billedOn", l."doneOn") as "on",
      round(l."done" * b."upTo", 2) - round(l."done" * b."before", 2) as "amount"
    from "orderLines" as l
    join "billings" as b on b."organizationId" = l."organizationId" and b."poId" = l."poId"
    where l."status" <> 'void'
    union all
    select l."organizationId", l."poId", l."lineId", l."doneOn", l."done" - round(l."done" * coalesce((
      select max(b."upTo") from "billings" as b where b."organizationId" = l."organizationId" and b."poId" = l."poId"), 0), 2)
    from "orderLines" as l where l."status" <> 'void'
  ), "shares" as (
    select l.*, p."id" as "paymentId", p."paymentType", p."paidDate", p."discountTaken", p."status" as "paymentStatus",
      ${dayOf(sql`p."voidedAt"`, 'l.timeZone')} as "voidedOn", a."position" as "allocation",
      case when a."lineId" is not null then a."amount" - a."retainageWithheld"
        when l."whole" = 0 then case when l."position" = 0 then a."amount" - a."retainageWithheld" else 0 end
        else round((a."amount" - a."retainageWithheld") * l."upTo" / l."whole", 2)
          - round((a."amount" - a."retainageWithheld") * (l."upTo" - l."weight") / l."whole", 2) end as "net"
    from "payments" as p
    join "paymentAllocations" as a on a."organizationId" = p."organizationId" and a."paymentId" = p."id"
    join "weighed" as l on l."organizationId" = a."organizationId" and l."poId" = a."poId"
      and (a."lineId" is null or a."lineId" = l."lineId")
    where p."paidDate" is not null and p."status" in ('paid', 'voided')
  ), "settled" as (
    select s.*, case when "all" = 0 then 0 else round("discountTaken" * "running" / "all", 2)
      - round("discountTaken" * ("running" - "net") / "all", 2) end as "discount"
    from (
      select s.*, sum("net") over "ofPayment" as "all", sum("net") over "inPayment" as "running" from "shares" as s
      window "ofPayment" as (partition by "organizationId", "paymentId"),
        "inPayment" as ("ofPayment" order by "allocation", "position")
    ) as s
  ), "sold" as (
    select s."organizationId", s."id", s."homeId", s."status", f."timeZone", s."approvedAt", s."cancelledAt",
      s."basePrice" + s."lotPremium" - s."incentives" - s."discounts" as "price", s."optionsFixed"
    from "sales" as s join "fresh" as f on f."id" = s."organizationId" where s."approvedAt" is not null
  ), "options" as (
    select s."organizationId", s."id", s."homeId", c."difference" as "amount",
      ${dayOf(
        sql`greatest(s."approvedAt", coalesce((select max(x."at") from "statusChanges" as x
          where x."organizationId" = c."organizationId" and x."resourceId" = c."id" and x."to" = 'approved'), s."approvedAt"))`,
        's.timeZone',
      )} as "on"
    from "sold" as s
    join "selections" as c on c."organizationId" = s."organizationId" and c."homeId" = s."homeId"
      and c."status" in ('approved', 'ordered', 'installed')
    where s."status" in ('approved', 'pipeline_complete') and s."homeId" is not null
  )
  select ${columns({
    ...ofLine,
    source: sql`'commitment ' || l."poId"`,
    effectiveDate: dayOf(sql`coalesce(l."approvedAt", l."createdAt")`, 'l.timeZone'),
    ...{ measure: sql`'commitment'`, amount: sql`l."ordered"` },
  })}
  from "orderLines" as l
  where l."status" in ${COMMITTED} or l."approvedAt" is not null and l."status" in ('void', 'declined')
  union all
  select ${columns({
    ...ofLine,
    source: sql`'void ' || l."poId"`,
    effectiveDate: dayOf(
      sql`coalesce((select max(x."at") from "statusChanges" as x where x."organizationId" = l."organizationId"
        and x."resourceId" = l."poId" and x."to" = l."status"), l."approvedAt")`,
      'l.timeZone',
    ),
    ...{ measure: sql`'commitment'`, amount: sql`- l."ordered"` },
  })}
  from "orderLines" as l where l."approvedAt" is not null and l."status" in ('void', 'declined')
  union all
  select ${columns({
    ...ofLine,
    ...{
      source: sql`'work ' || l."poId"`,
      effectiveDate: sql`w."on"`,
      measure: sql`m."measure"`,
      amount: sql`w."amount"`,
    },
  })}
  from "work" as w
  join "orderLines" as l on l."organizationId" = w."organizationId" and l."poId" = w."poId" and l."lineId" = w."lineId"
  cross join ${both('cost', 'unbilled')}
  union all
  select ${columns({
    ...ofLine,
    source: sql`'payment ' || l."paymentId" || case when v."sign" = 1 then '' else ' voided' end`,
    effectiveDate: sql`case when v."sign" = 1 then l."paidDate" else l."voidedOn" end`,
    measure: sql`case when m."measure" <> 'debt' then m."measure"
      when l."paymentType" = 'retainage_release' then 'retainage' else 'payable' end`,
    amount: sql`v."sign" * case m."measure" when 'debt' then - l."net" when 'paid' then l."net" - l."discount" else l."discount" end`,
    paymentId: sql`l."paymentId"`,
  })}
  from "settled" as l
  cross join (values ('debt'), ('paid'), ('discount')) as m ("measure")
  join (values (1), (-1)) as v ("sign") on v."sign" = 1 or l."paymentStatus" = 'voided'
  union all
  select ${columns({
    ...{
      organizationId: sql`t."organizationId"`,
      source: sql`'time ' || t."timesheetId"`,
      effectiveDate: sql`t."date"`,
    },
    ...{ measure: sql`m."measure"`, amount: sql`t."cost"`, homeId: sql`t."homeId"`, scope: sql`t."scope"` },
    costCodeId: sql`t."costCodeId"`,
  })}
  from "timeEntries" as t join "fresh" as f on f."id" = t."organizationId"
  cross join ${both('cost', 'payroll')}
  where t."postedAt" is not null and t."homeId" is not null and t."cost" is not null
  union all
  select ${columns({
    ...{ organizationId: sql`b."organizationId"`, source: sql`'budget ' || b."homeId"`, measure: sql`'budget'` },
    effectiveDate: sql`case when x."isOriginal" then ${dayOf(sql`h."budgetLockedAt"`, 'f.timeZone')}
      else greatest(${dayOf(sql`b."updatedAt"`, 'f.timeZone')}, ${dayOf(sql`h."budgetLockedAt"`, 'f.timeZone')}) end`,
    amount: sql`case when x."isOriginal" then b."originalAmount" else b."budgeted" - b."originalAmount" end`,
    ...{ homeId: sql`b."homeId"`, scope: sql`b."scope"`, costCodeId: sql`b."costCodeId"` },
  })}
  from "budgetLines" as b join "fresh" as f on f."id" = b."organizationId"
  join "homes" as h on h."organizationId" = b."organizationId" and h."id" = b."homeId"
  cross join (values (true), (false)) as x ("isOriginal")
  where h."budgetLockedAt" is not null and b."archivedAt" is null
  union all
  select ${columns({
    ...{ organizationId: sql`s."organizationId"`, source: sql`'contract ' || s."id"`, measure: sql`'contract'` },
    effectiveDate: dayOf(sql`case when v."sign" = 1 then s."approvedAt" else s."cancelledAt" end`, 's.timeZone'),
    amount: sql`v."sign" * (s."price" + case when s."homeId" is null or s."status" = 'cancelled' then s."optionsFixed" else 0 end)`,
    ...{ homeId: sql`s."homeId"`, saleId: sql`s."id"` },
  })}
  from "sold" as s
  join (values (1), (-1)) as v ("sign") on v."sign" = 1 or s."cancelledAt" is not null
  union all
  select ${columns({
    ...{ organizationId: sql`o."organizationId"`, source: sql`'contract ' || o."id"`, effectiveDate: sql`o."on"` },
    ...{ measure: sql`'contract'`, amount: sql`o."amount"`, homeId: sql`o."homeId"`, saleId: sql`o."id"` },
  })}
  from "options" as o`

/** The differences between the balances and the records of the builders that were just migrated. */
const DIFFERENCES = sql<{ recordId: string; measure: string; posted: number; expected: number }>`
  with "migrated" as (select distinct "organizationId" from "history"), "expected" as (
    select o."organizationId", o."id" as "recordId", 'cost' as "measure", o."completedAmount" as "amount"
    from "purchaseOrders" as o where o."status" <> 'void'
    union all
    select o."organizationId", o."id", 'commitment', o."total" from "purchaseOrders" as o where o."status" in ${COMMITTED}
    union all
    select p."organizationId", p."id", 'paid', p."amount" from "payments" as p where p."status" = 'paid'
    union all
    select h."organizationId", h."id", 'budget', sum(b."budgeted") from "homes" as h
    join "budgetLines" as b on b."organizationId" = h."organizationId" and b."homeId" = h."id" and b."archivedAt" is null
    where h."budgetLockedAt" is not null group by 1, 2
  ), "posted" as (
    select "organizationId", case "measure" when 'paid' then "paymentId" when 'budget' then "homeId" else "poId" end
      as "recordId", "measure", sum("amount") as "amount"
    from "history" where "measure" in ('commitment', 'cost', 'paid', 'budget') group by 1, 2, 3
  )
  select coalesce(e."recordId", p."recordId") as "recordId", coalesce(e."measure", p."measure") as "measure",
    coalesce(p."amount", 0) as "posted", coalesce(e."amount", 0) as "expected"
  from (select e.* from "expected" as e join "migrated" as m on m."organizationId" = e."organizationId") as e
  full join (select * from "posted" where "recordId" is not null) as p
    on p."organizationId" = e."organizationId" and p."recordId" = e."recordId" and p."measure" = e."measure"
  where coalesce(p."amount", 0) <> coalesce(e."amount", 0) limit 20`
