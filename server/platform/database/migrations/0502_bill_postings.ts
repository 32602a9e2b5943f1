import { type Kysely, sql } from 'kysely'

/**
 * Posts the bills that the previous migration created. For each bill, unbilled work becomes payable and retainage on
 * the date of the bill, and payments pay the bill instead of the order. Also posts corrections: completed work or
 * payments that exceed the total of an order, and retainage on closed orders. If a bill, payment, or closing is in a
 * closed period, it is posted on the first open day.
 *
 * The notes of corrections begin with `Corrected:`, so that accountants can find them.
 *
 * At the end, the balances of all orders must equal their amounts. Otherwise, the migration stops with a list of the
 * differences. The IDs sort after those of the migrated history and before all later IDs.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select "id" from "organizations" limit 1`.execute(db)
  if (rows.length === 0) return
  await postInOpenPeriods(db)
  await sql`
    create temporary table "billHistory" (
      "organizationId" text collate "C", "source" text collate "C", "measure" text, "amount" numeric, "effectiveDate" date,
      "homeId" text collate "C", "scope" text, "costCodeId" text collate "C", "vendorId" text collate "C",
      "poId" text collate "C", "poLineId" text collate "C", "billId" text collate "C", "paymentId" text collate "C"
    ) on commit drop`.execute(db)
  await sql`insert into "billHistory" ${CORRECTED_WORK}`.execute(db)
  await store(db, 'Corrected: the completed work exceeded the total of the order.')
  await sql`insert into "billHistory" ${EXCESS_PAYMENTS}`.execute(db)
  await store(db, 'Corrected: payments exceeded the total of the order.')
  await sql`insert into "billHistory" ${BILLS}`.execute(db)
  await sql`insert into "billHistory" ${PAID_BILLS}`.execute(db)
  await store(db, 'Derived from older records.')
  await sql`insert into "billHistory" ${PAID_ELSEWHERE}`.execute(db)
  await store(db, 'The order was paid outside Plumbline.')
  await sql`insert into "billHistory" ${CLOSED_RETAINAGE}`.execute(db)
  await store(db, 'The order was closed.')
  await assertEqual(db)
}

/** Moves the posting date of documents in closed periods to the first open day. */
async function postInOpenPeriods(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "bills" as b set "postingDate" = l."closedThrough" + 1
    from "ledgers" as l
    where l."organizationId" = b."organizationId" and b."postingDate" <= l."closedThrough"`.execute(db)
}

/** Moves the rows to the postings. Rows with the same source and day become one entry. */
async function store(db: Kysely<unknown>, note: string): Promise<void> {
  await sql`
    insert into "postings" ("organizationId", "id", "entryId", "measure", "amount", "effectiveDate", "recordedAt", "homeId",
      "scope", "costCodeId", "vendorId", "poId", "poLineId", "billId", "paymentId", "basis", "note", "actor")
    select "organizationId", 'pst_01' || lpad((o."last" + row_number() over "inOrder")::text, 24, '0'),
      'ent_01' || lpad((o."last" + dense_rank() over "byEntry")::text, 24, '0'), "measure", "amount", "effectiveDate", now(),
      "homeId", "scope", "costCodeId", "vendorId", "poId", "poLineId", "billId", "paymentId", 'migrated',
      ${note}, '{"type": "system", "id": null}'
    from "billHistory", (
      select coalesce(max(substr("id", 7)::bigint), 0) as "last" from "postings"
      where "basis" = 'migrated' and "id" like 'pst\\_01%') as o
    where "amount" <> 0
    window "inOrder" as (order by "organizationId", "effectiveDate", "source", "poId", "poLineId", "billId", "measure"),
      "byEntry" as (order by "organizationId", "effectiveDate", "source")
    order by "organizationId", "effectiveDate", "source", "poId", "poLineId", "billId", "measure"`.execute(db)
  await sql`
    insert into "ledgers" ("organizationId", "startDate")
    select o."id", (now() at time zone o."timeZone")::date from "organizations" as o
    where exists (select from "billHistory" as h where h."organizationId" = o."id") on conflict do nothing`.execute(db)
  await sql`delete from "billHistory"`.execute(db)
}

/** Returns an SQL expression for the first open day on or after the given day. */
const openDay = (day: string) =>
  sql.raw(`greatest(${day}, coalesce((
    select k."closedThrough" + 1 from "ledgers" as k where k."organizationId" = o."organizationId"), ${day}))`)

/**
 * Removes work that exceeds the total of an order from the cost. The first line with the opposite sign receives the
 * credit that counts as completed.
 */
const CORRECTED_WORK = sql`
  select o."organizationId", 'work ' || o."id", m."measure", o."completedAmount" + o."storedAmount" - c."posted",
    ${openDay(`(coalesce(o."progressedAt", o."completedAt", o."updatedAt") at time zone g."timeZone")::date`)},
    o."homeId", o."scope", l."costCodeId", o."vendorId", o."id", l."lineId", null, null
  from "purchaseOrders" as o
  join "organizations" as g on g."id" = o."organizationId"
  cross join lateral (
    select coalesce(sum(p."amount"), 0) as "posted" from "postings" as p
    where p."organizationId" = o."organizationId" and p."poId" = o."id" and p."measure" = 'unbilled') as c
  cross join lateral (
    select n."lineId", n."costCodeId" from "purchaseOrderLines" as n
    where n."organizationId" = o."organizationId" and n."purchaseOrderId" = o."id"
    order by ((n."total" + n."taxAmount") * o."total" < 0) desc, n."position" limit 1) as l
  cross join (values ('cost'), ('unbilled')) as m ("measure")
  where o."status" <> 'void' and o."completedAmount" + o."storedAmount" <> c."posted"`

/**
 * Divides the bills of each order among its lines in proportion to completed work, or to the ordered amounts if there
 * is none. Each line receives its rounded running total minus the totals of previous lines and bills.
 */
const BILLS = sql`
  with "lines" as (
    select o."organizationId", o."id" as "poId", o."homeId", o."scope", o."vendorId", o."currency", l."lineId", l."position",
      l."costCodeId", case when sum(l."completedAmount") over "ofOrder" <> 0 then l."completedAmount"
        when o."total" <> 0 then l."total" + l."taxAmount" when l."position" = 0 then 1 else 0 end as "weight"
    from "purchaseOrders" as o
    join "purchaseOrderLines" as l on l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
    window "ofOrder" as (partition by o."organizationId", o."id")
  ), "weighed" as (
    select l.*, sum("weight") over "inOrder" as "upTo", sum("weight") over "ofOrder" as "whole" from "lines" as l
    window "ofOrder" as (partition by "organizationId", "poId"), "inOrder" as ("ofOrder" order by "position")
  ), "billed" as (
    select x."organizationId", x."poId", x."billId", b."postingDate", x."grossAmount" as "gross",
      x."retainageWithheld" as "held", sum(x."grossAmount") over "inOrder" as "grossUpTo",
      sum(x."retainageWithheld") over "inOrder" as "heldUpTo"
    from "billOrders" as x
    join "bills" as b on b."organizationId" = x."organizationId" and b."id" = x."billId"
      and b."status" in ('approved', 'partially_paid', 'paid')
    where not exists (
      select from "postings" as p where p."organizationId" = x."organizationId" and p."billId" = x."billId")
    window "inOrder" as (partition by x."organizationId", x."poId" order by b."postingDate", x."billId")
  ), "shares" as (
    select w.*, b."billId", b."postingDate",
      ${running('b."grossUpTo"')} - ${running('b."grossUpTo" - b."gross"')} as "gross",
      ${running('b."heldUpTo"')} - ${running('b."heldUpTo" - b."held"')} as "held"
    from "billed" as b
    join "weighed" as w on w."organizationId" = b."organizationId" and w."poId" = b."poId"
  )
  select s."organizationId", 'bill ' || s."billId", m."measure",
    case m."measure" when 'unbilled' then - s."gross" when 'payable' then s."gross" - s."held" else s."held" end,
    s."postingDate", s."homeId", s."scope", s."costCodeId", s."vendorId", s."poId", s."lineId", s."billId", null
  from "shares" as s cross join (values ('unbilled'), ('payable'), ('retainage')) as m ("measure")`

/**
 * Returns SQL for the share of one line in a running total. Shares are rounded together with those of the previous
 * lines.
 */
function running(total: string) {
  const share = (weight: string) => `round((${total}) * (${weight}) / nullif(w."whole", 0), DECIMALS)`
  return sql.raw(
    `(coalesce(${share('w."upTo"')}, case when w."position" = 0 then ${total} else 0 end)
      - coalesce(${share('w."upTo" - w."weight"')}, 0))`.replaceAll('DECIMALS', decimalsOf('w."currency"')),
  )
}

/** Returns an SQL expression for the decimal places of a currency, as defined at the time of this migration. */
function decimalsOf(currency: string): string {
  return `(case
    when ${currency} in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV',
      'XAF', 'XOF', 'XPF') then 0
    when ${currency} in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3 else 2 end)`
}

/**
 * Payments of work pay their bills. Their previous postings, which referred only to the order, are reversed and posted
 * for the bill.
 */
const PAID_BILLS = sql`
  select p."organizationId", 'payment ' || p."paymentId", p."measure", v."sign" * p."amount",
    ${sql.raw(`greatest(p."effectiveDate", coalesce((
      select k."closedThrough" + 1 from "ledgers" as k where k."organizationId" = p."organizationId"), p."effectiveDate"))`)},
    p."homeId", p."scope", p."costCodeId", p."vendorId", p."poId", p."poLineId",
    case when v."sign" = 1 then b."billId" end, p."paymentId"
  from "postings" as p
  join "payments" as y on y."organizationId" = p."organizationId" and y."id" = p."paymentId" and y."status" = 'paid'
  cross join lateral (
    select a."billId" from "paymentAllocations" as a
    where a."organizationId" = p."organizationId" and a."paymentId" = p."paymentId" and a."billId" is not null
    limit 1) as b
  cross join (values (1), (-1)) as v ("sign")
  where p."measure" = 'payable' and p."billId" is null`

/** Payments that exceed the total of an order become a credit of the vendor without an order. */
const EXCESS_PAYMENTS = sql`
  select a."organizationId", 'excess ' || a."paymentId" || coalesce(a."poId", ''), m."measure",
    case m."measure" when 'paid' then a."amount" else - a."amount" end,
    ${sql.raw(`greatest(y."paidDate", coalesce((
      select k."closedThrough" + 1 from "ledgers" as k where k."organizationId" = a."organizationId"), y."paidDate"))`)},
    o."homeId", o."scope", l."costCodeId", y."vendorId", o."id", l."lineId", null, a."paymentId"
  from "paymentAllocations" as c
  join "payments" as y on y."organizationId" = c."organizationId" and y."id" = c."paymentId" and y."status" = 'paid'
  join "paymentAllocations" as a on a."organizationId" = c."organizationId" and a."paymentId" = c."paymentId"
    and a."position" in (c."position", c."position" - 1)
  left join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
  left join lateral (
    select n."lineId", n."costCodeId" from "purchaseOrderLines" as n
    where n."organizationId" = o."organizationId" and n."purchaseOrderId" = o."id" order by n."position" limit 1) as l on true
  cross join (values ('payable'), ('paid')) as m ("measure")
  where c."poId" is null and c."billId" is null and c."amount" > 0
    and not exists (
      select from "postings" as p where p."organizationId" = c."organizationId" and p."paymentId" = c."paymentId"
        and p."poId" is null)`

/** Orders that were closed manually were paid outside Plumbline. */
const PAID_ELSEWHERE = sql`
  select o."organizationId", 'closed ' || o."id", case v."sign" when 1 then 'paid' else p."measure" end,
    v."sign" * sum(p."amount"),
    ${openDay(`(coalesce(o."closedAt", o."updatedAt") at time zone g."timeZone")::date`)},
    p."homeId", p."scope", p."costCodeId", p."vendorId", o."id", p."poLineId", p."billId", null
  from "purchaseOrders" as o
  join "organizations" as g on g."id" = o."organizationId"
  join "postings" as p on p."organizationId" = o."organizationId" and p."poId" = o."id"
    and p."measure" in ('unbilled', 'payable', 'retainage')
  cross join (values (1), (-1)) as v ("sign")
  where o."paidElsewhere" is not null
  group by o."organizationId", o."id", o."closedAt", o."updatedAt", g."timeZone", v."sign", p."measure", p."homeId",
    p."scope", p."costCodeId", p."vendorId", p."poLineId", p."billId"
  having sum(p."amount") <> 0`

/** Closed orders hold no retainage. A deposit can have paid the retainage that their bills withheld. */
const CLOSED_RETAINAGE = sql`
  select o."organizationId", 'closed ' || o."id", m."measure",
    case m."measure" when 'retainage' then - sum(p."amount") else sum(p."amount") end,
    ${openDay(`(coalesce(o."closedAt", o."updatedAt") at time zone g."timeZone")::date`)},
    p."homeId", p."scope", p."costCodeId", p."vendorId", o."id", p."poLineId", null, null
  from "purchaseOrders" as o
  join "organizations" as g on g."id" = o."organizationId"
  join "postings" as p on p."organizationId" = o."organizationId" and p."poId" = o."id" and p."measure" = 'retainage'
  cross join (values ('retainage'), ('payable')) as m ("measure")
  where o."status" = 'closed' and o."paidElsewhere" is null
  group by o."organizationId", o."id", o."closedAt", o."updatedAt", g."timeZone", m."measure", p."homeId", p."scope",
    p."costCodeId", p."vendorId", p."poLineId"
  having sum(p."amount") <> 0`

async function assertEqual(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ recordId: string; measure: string; posted: number; expected: number }>`
    select o."id" as "recordId", e."measure", coalesce(p."amount", 0) as "posted", e."amount" as "expected"
    from "purchaseOrders" as o
    cross join lateral (values
      ('cost', case when o."status" = 'void' then 0 else o."completedAmount" + o."storedAmount" end),
      ('unbilled', o."unbilledAmount"), ('payable', o."payableAmount"), ('retainage', o."retainedAmount")
    ) as e ("measure", "amount")
    left join (
      select "organizationId", "poId", "measure", sum("amount") as "amount" from "postings"
      where "poId" is not null and "measure" in ('cost', 'unbilled', 'payable', 'retainage') group by 1, 2, 3
    ) as p on p."organizationId" = o."organizationId" and p."poId" = o."id" and p."measure" = e."measure"
    where coalesce(p."amount", 0) <> e."amount"
    order by o."organizationId", o."id" limit 20`.execute(db)
  if (rows.length > 0)
    throw new Error(
      `Cannot migrate: the ledger would differ from the orders. Correct these first: ${rows
        .map(({ recordId, measure, posted, expected }) => `${recordId} ${measure} ${posted} instead of ${expected}`)
        .join('; ')}`,
    )
}
