import { type Kysely, sql } from 'kysely'

/**
 * Creates bills for completed work and payments. For each payment of work, creates the bill that it pays. Payments of
 * the same invoice have one bill. Work without a payment gets a bill with the date on which its progress was recorded.
 * If progress was reduced below the paid amount, creates a credit memo for the difference. If payments exceed the total
 * of an order, the excess becomes a credit of the vendor. Each statement processes entire tables, because it reads each
 * row only once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await fillInvoiceKeys(db)
  await bindChangeOrders(db)
  await keepLineRetainage(db)
  await limitCompletedWork(db)
  await notePaidElsewhere(db)
  await billPayments(db)
  await billWork(db)
  await creditExcess(db)
  await addUpOrders(db)
  await applyPrepayments(db)
  await addUpBills(db)
  await closeSettled(db)
  await numberBills(db)
}

/** The number of rows that are read at a time to compute the keys. */
const BATCH = 1000

/**
 * Returns the normalized invoice number, in the form in which the service computed it at the time of this migration.
 */
function toInvoiceKey(invoiceNumber: string): string {
  const upper = invoiceNumber.normalize('NFKC').toUpperCase().trim()
  const plain = upper.replace(/[^\p{L}\p{N}]/gu, '')
  return plain === '' ? upper : plain.replace(/(?<!\p{N})0+(?=\p{N})/gu, '')
}

async function fillInvoiceKeys(db: Kysely<unknown>): Promise<void> {
  let after = { organizationId: '', id: '' }
  for (;;) {
    const { rows } = await sql<{ organizationId: string; id: string; invoiceNumber: string }>`
      select "organizationId", "id", "invoiceNumber" from "payments"
      where "invoiceNumber" is not null and ("organizationId", "id") > (${after.organizationId}, ${after.id})
      order by "organizationId", "id" limit ${BATCH}`.execute(db)
    const last = rows.at(-1)
    if (last === undefined) return
    await sql`
      update "payments" as p set "invoiceKey" = k."key"
      from unnest(${rows.map((row) => row.organizationId)}::text[], ${rows.map(({ id }) => id)}::text[],
        ${rows.map(({ invoiceNumber }) => toInvoiceKey(invoiceNumber))}::text[]) as k ("organizationId", "id", "key")
      where p."organizationId" = k."organizationId" and p."id" = k."id"`.execute(db)
    after = last
  }
}

/**
 * Sets the root order of change orders. Each pass follows one more link in the chain of change orders, which is short.
 */
async function bindChangeOrders(db: Kysely<unknown>): Promise<void> {
  for (let pass = 0; pass < 50; pass++) {
    const { numAffectedRows = 0n } = await sql`
      update "purchaseOrders" as o set "rootPoId" = coalesce(p."rootPoId", p."id")
      from "purchaseOrders" as p
      where p."organizationId" = o."organizationId" and p."id" = o."parentPoId" and o."poType" in ('change', 'variance')
        and p."vendorId" = o."vendorId" and p."homeId" = o."homeId" and p."poType" <> 'backcharge' and p."id" <> o."id"
        and coalesce(p."rootPoId", p."id") <> o."id"
        and o."rootPoId" is distinct from coalesce(p."rootPoId", p."id")`.execute(db)
    if (numAffectedRows === 0n) return
  }
}

/** Limits the completed amount of each order to the range between zero and its total. */
async function limitCompletedWork(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "purchaseOrders" set "completedAmount" = case when "total" < 0
      then least(greatest("completedAmount", "total"), 0) else greatest(least("completedAmount", "total"), 0) end
    where "completedAmount" <> case when "total" < 0
      then least(greatest("completedAmount", "total"), 0) else greatest(least("completedAmount", "total"), 0) end`.execute(
    db,
  )
}

/**
 * If a change order has its own retainage percentage, moves it to the lines of the change order. All other terms come
 * from the root order.
 */
async function keepLineRetainage(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "purchaseOrderLines" as l set "retainagePercent" = o."retainagePercent"
    from "purchaseOrders" as o
    join "purchaseOrders" as r on r."organizationId" = o."organizationId" and r."id" = o."rootPoId"
    where l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
      and o."retainagePercent" <> r."retainagePercent"`.execute(db)
}

/** If an order was closed manually without payments, records that it was paid outside Plumbline. */
async function notePaidElsewhere(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "purchaseOrders" as o set "paidElsewhere" = o."completedAmount", "paidAmount" = o."completedAmount"
    where o."status" = 'closed' and not exists (
      select from "paymentAllocations" as a
      join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
      where a."organizationId" = o."organizationId" and a."poId" = o."id" and p."status" in ('pending', 'approved', 'paid'))`.execute(
    db,
  )
}

/**
 * Returns an SQL expression for the decimal places of the currency of a row, as defined at the time of this migration.
 */
const decimals = (table: string) =>
  sql.raw(`(case
    when ${table}."currency" in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND',
      'VUV', 'XAF', 'XOF', 'XPF') then 0
    when ${table}."currency" in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3 else 2 end)`)

/**
 * Active payments of work, each with its bill. The ID of a bill is derived from that of the first payment of the
 * invoice.
 */
const BILLED = sql`
  select p.*, 'bill_' || substr(first_value(p."id") over (
    partition by p."organizationId", p."vendorId", coalesce(p."invoiceKey", p."id") order by p."id"), 5) as "billId"
  from "payments" as p
  where p."paymentType" in ('progress', 'final') and p."status" in ('pending', 'approved', 'paid')`

const APPROVAL = (by: string, at: string) =>
  sql.raw(`jsonb_build_object('approvedBy', ${by}, 'approvedAt', to_char(${at} at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'rejectedReason', null)`)

async function billPayments(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into "bills" ("organizationId", "id", "number", "vendorId", "billType", "source", "status", "invoiceNumber",
      "invoiceKey", "invoiceDate", "receivedDate", "postingDate", "terms", "dueDate", "discountAmount", "discountDueDate",
      "grossAmount", "retainageWithheld", "amount", "paidAmount", "discountTaken", "reservedAmount", "currency", "match",
      "approval", "version", "createdBy", "createdAt", "updatedAt")
    select b."organizationId", b."billId", b."billId", b."vendorId",
      case when sum(b."grossAmount") < 0 then 'credit_memo' else 'invoice' end, 'migration', 'approved',
      (array_agg(b."invoiceNumber" order by b."id"))[1], (array_agg(b."invoiceKey" order by b."id"))[1],
      min(coalesce(b."invoiceDate", (b."createdAt" at time zone g."timeZone")::date)),
      min((b."createdAt" at time zone g."timeZone")::date),
      min(coalesce(b."invoiceDate", (b."createdAt" at time zone g."timeZone")::date)),
      (array_agg(v."paymentTerms"))[1], min(b."dueDate"), sum(b."discountAmount"), min(b."discountDueDate"),
      sum(b."grossAmount"), sum(b."retainageWithheld"), sum(b."grossAmount" - b."retainageWithheld"), 0, 0, 0,
      min(b."currency"), 'matched',
      ${APPROVAL('(array_agg(b."createdBy" order by b."id"))[1]', 'min(b."createdAt")')}, 1,
      (array_agg(b."createdBy" order by b."id"))[1], min(b."createdAt"), min(b."createdAt")
    from (${BILLED}) as b
    join "vendors" as v on v."organizationId" = b."organizationId" and v."id" = b."vendorId"
    join "organizations" as g on g."id" = b."organizationId"
    group by b."organizationId", b."billId", b."vendorId"`.execute(db)
  await sql`
    update "paymentAllocations" as a set "billId" = b."billId", "dueDate" = b."dueDate",
      "discountAmount" = case when a."position" = 0 then b."discountAmount" else 0 end,
      "discountTaken" = case when a."position" = 0 then b."discountTaken" else 0 end,
      "discountDueDate" = case when a."position" = 0 then b."discountDueDate" end
    from (${BILLED}) as b
    where a."organizationId" = b."organizationId" and a."paymentId" = b."id"`.execute(db)
  await sql`
    insert into "billLines" ("organizationId", "billId", "position", "lineId", "poId", "poLineId", "homeId", "costCodeId",
      "description", "amount", "taxAmount", "retainageWithheld")
    select s."organizationId", s."billId", s."place" - 1, 'line-' || s."place", s."poId", s."lineId", o."homeId",
      l."costCodeId", coalesce(l."description", o."scope"), s."amount", 0, s."retainage"
    from (
      select a."organizationId", a."billId", a."poId", a."lineId", sum(a."amount") as "amount",
        sum(a."retainageWithheld") as "retainage",
        row_number() over (partition by a."organizationId", a."billId" order by a."poId", a."lineId") as "place"
      from "paymentAllocations" as a
      join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
      where a."billId" is not null
      group by a."organizationId", a."billId", a."poId", a."lineId"
    ) as s
    join "purchaseOrders" as o on o."organizationId" = s."organizationId" and o."id" = s."poId"
    left join lateral (
      select n."costCodeId", n."description" from "purchaseOrderLines" as n
      where n."organizationId" = s."organizationId" and n."purchaseOrderId" = s."poId"
      order by n."lineId" is distinct from s."lineId", n."position" limit 1) as l on true`.execute(db)
  await shareOut(db)
}

/** Stores the totals of bills for each of their orders, if they are missing. */
async function shareOut(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into "billOrders" ("organizationId", "billId", "poId", "grossAmount", "retainageWithheld")
    select l."organizationId", l."billId", l."poId", sum(l."amount"), sum(l."retainageWithheld")
    from "billLines" as l where l."poId" is not null
    group by l."organizationId", l."billId", l."poId"
    on conflict do nothing`.execute(db)
}

/**
 * For each order, creates a bill for completed work without a payment. If progress was reduced below the paid amount,
 * creates a credit memo. For a closed order, withholds no retainage on amounts that a deposit has paid.
 */
async function billWork(db: Kysely<unknown>): Promise<void> {
  const rest = sql`
    select o.*, o."completedAmount" - coalesce(b."gross", 0) as "rest", coalesce(b."gross", 0) as "billed",
      coalesce(b."withheld", 0) as "withheld",
      (coalesce(o."progressedAt", o."completedAt", o."updatedAt") at time zone g."timeZone")::date as "day"
    from "purchaseOrders" as o
    join "organizations" as g on g."id" = o."organizationId"
    left join (
      select "organizationId", "poId", sum("grossAmount") as "gross", sum("retainageWithheld") as "withheld"
      from "billOrders" group by "organizationId", "poId"
    ) as b on b."organizationId" = o."organizationId" and b."poId" = o."id"
    where o."status" <> 'void'`
  const amounts = sql`
    select r.*, 'bill_' || substr(r."id", 4) as "billId", s."sign",
      s."sign" * case when r."status" = 'closed' then 0
        when s."sign" * r."rest" > 0 then least(s."sign" * r."rest",
          greatest(s."sign" * (round(r."completedAmount" * r."retainagePercent" / 100, ${decimals('r')}) - r."withheld"), 0))
        else -greatest(least(
          s."sign" * (round(r."billed" * r."retainagePercent" / 100, ${decimals('r')}) - round(r."completedAmount" * r."retainagePercent" / 100, ${decimals('r')})),
          s."sign" * (r."withheld" - r."releasedAmount")), 0) end as "retainage"
    from (${rest}) as r
    cross join lateral (select case when r."total" < 0 then -1 else 1 end as "sign") as s
    where r."rest" <> 0`
  await sql`
    insert into "bills" ("organizationId", "id", "number", "vendorId", "billType", "source", "status", "invoiceDate",
      "receivedDate", "postingDate", "terms", "dueDate", "discountAmount", "discountDueDate", "grossAmount",
      "retainageWithheld", "amount", "paidAmount", "discountTaken", "reservedAmount", "currency", "match", "approval",
      "version", "createdBy", "createdAt", "updatedAt")
    select w."organizationId", w."billId", w."billId", w."vendorId",
      case when w."rest" < 0 then 'credit_memo' else 'invoice' end,
      case when w."sign" * w."rest" > 0 then 'completion' else 'migration' end, 'approved', w."day", w."day", w."day",
      v."paymentTerms", w."day" + (v."paymentTerms"->>'netDays')::integer,
      case when w."rest" <= w."retainage" then 0
        else round((w."rest" - w."retainage") * (v."paymentTerms"->>'discountPercent')::numeric / 100, ${decimals('w')}) end,
      case when w."rest" > w."retainage" and (v."paymentTerms"->>'discountPercent')::numeric > 0
        then w."day" + (v."paymentTerms"->>'discountDays')::integer end,
      w."rest", w."retainage", w."rest" - w."retainage", 0, 0, 0, w."currency", 'matched',
      ${APPROVAL('w."createdBy"', 'coalesce(w."progressedAt", w."completedAt", w."updatedAt")')}, 1, w."createdBy",
      coalesce(w."progressedAt", w."completedAt", w."updatedAt"), coalesce(w."progressedAt", w."completedAt", w."updatedAt")
    from (${amounts}) as w
    join "vendors" as v on v."organizationId" = w."organizationId" and v."id" = w."vendorId"`.execute(db)
  await sql`
    insert into "billLines" ("organizationId", "billId", "position", "lineId", "poId", "homeId", "costCodeId",
      "description", "amount", "taxAmount", "retainageWithheld")
    select b."organizationId", b."id", 0, 'line-1', o."id", o."homeId", l."costCodeId",
      coalesce(l."description", o."scope"), b."grossAmount", 0, b."retainageWithheld"
    from "bills" as b
    join "purchaseOrders" as o on o."organizationId" = b."organizationId" and o."id" = 'po_' || substr(b."id", 6)
    left join lateral (
      select n."costCodeId", n."description" from "purchaseOrderLines" as n
      where n."organizationId" = o."organizationId" and n."purchaseOrderId" = o."id" order by n."position" limit 1) as l on true
    where not exists (
      select from "billLines" as k where k."organizationId" = b."organizationId" and k."billId" = b."id")`.execute(db)
  await shareOut(db)
}

/** Moves the excess of overpaid orders to the vendor. The last payment of such an order keeps its amount. */
async function creditExcess(db: Kysely<unknown>): Promise<void> {
  await sql`
    with "overpaid" as (
      select o."organizationId", o."id", o."total" - o."paidAmount" as "excess", (
        select a."paymentId" from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where a."organizationId" = o."organizationId" and a."poId" = o."id" and p."status" = 'paid'
        order by p."paidDate" desc, p."id" desc limit 1) as "paymentId"
      from "purchaseOrders" as o
      where o."total" >= 0 and o."paidAmount" > o."total" and o."status" <> 'void'
    ), "placed" as (
      select v.*, row_number() over (partition by v."organizationId", v."paymentId" order by v."id") as "place", (
        select max(a."position") from "paymentAllocations" as a
        where a."organizationId" = v."organizationId" and a."paymentId" = v."paymentId") as "last"
      from "overpaid" as v where v."paymentId" is not null
    )
    insert into "paymentAllocations" ("organizationId", "paymentId", "position", "poId", "amount", "retainageWithheld")
    select "organizationId", "paymentId", "last" + 2 * "place" - 1, "id", "excess", 0 from "placed"
    union all
    select "organizationId", "paymentId", "last" + 2 * "place", null, -"excess", 0 from "placed"`.execute(db)
}

async function addUpOrders(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "purchaseOrders" as o set "billedAmount" = b."gross",
      "retainedAmount" = case when o."status" in ('closed', 'void') then 0 else b."withheld" - o."releasedAmount" end,
      "requiredRetainage" = round(b."gross" * o."retainagePercent" / 100, ${decimals('o')})
    from (
      select "organizationId", "poId", sum("grossAmount") as "gross", sum("retainageWithheld") as "withheld"
      from "billOrders" group by "organizationId", "poId"
    ) as b
    where o."organizationId" = b."organizationId" and o."id" = b."poId"`.execute(db)
  // The required retainage of an order includes that of its change orders.
  await sql`
    update "purchaseOrders" as o set "requiredRetainage" = round(w."required" / 100, ${decimals('o')})
    from (
      select "organizationId", coalesce("rootPoId", "id") as "rootId", sum("billedAmount" * "retainagePercent") as "required"
      from "purchaseOrders" group by 1, 2 having count(*) > 1
    ) as w
    where o."organizationId" = w."organizationId" and o."id" = w."rootId"`.execute(db)
  await sql`
    update "purchaseOrders" as o set "paidAmount" = s."paid", "releasingAmount" = s."releasing"
    from (
      select a."organizationId", a."poId",
        coalesce(sum(a."amount" - a."retainageWithheld") filter (where p."status" = 'paid'), 0) as "paid",
        coalesce(sum(a."amount")
          filter (where p."status" <> 'paid' and p."paymentType" = 'retainage_release'), 0) as "releasing"
      from "paymentAllocations" as a
      join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
      where p."status" in ('pending', 'approved', 'paid') and a."poId" is not null
      group by a."organizationId", a."poId"
    ) as s
    where o."organizationId" = s."organizationId" and o."id" = s."poId"
      and (o."paidAmount" <> s."paid" or s."releasing" <> 0)`.execute(db)
}

/**
 * Applies the deposits and adjustments of each order to its bills, oldest first. Applies a refund first to credit
 * memos, and then takes back amounts from the newest paid bills.
 */
async function applyPrepayments(db: Kysely<unknown>): Promise<void> {
  await sql`
    with "prepaid" as (
      select o."organizationId", o."id", case when o."total" < 0 then -1 else 1 end as "sign",
        coalesce(s."amount", 0) + coalesce(o."paidElsewhere", 0) as "amount"
      from "purchaseOrders" as o
      left join (
        select a."organizationId", a."poId", sum(a."amount") as "amount"
        from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where p."status" = 'paid' and p."paymentType" <> 'retainage_release' and a."billId" is null
        group by a."organizationId", a."poId"
      ) as s on s."organizationId" = o."organizationId" and s."poId" = o."id"
    ), "parts" as (
      select x."organizationId", x."billId", x."poId", r."sign", r."sign" * r."amount" as "pool", b."invoiceDate",
        r."sign" * (x."grossAmount" - x."retainageWithheld" - coalesce(y."standing", 0)) as "open",
        r."sign" * coalesce(y."paid", 0) as "paid"
      from "billOrders" as x
      join "prepaid" as r on r."organizationId" = x."organizationId" and r."id" = x."poId" and r."amount" <> 0
      join "bills" as b on b."organizationId" = x."organizationId" and b."id" = x."billId"
      left join (
        select a."organizationId", a."billId", a."poId", sum(a."amount" - a."retainageWithheld") as "standing",
          sum(a."amount" - a."retainageWithheld") filter (where p."status" = 'paid') as "paid"
        from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where p."status" in ('pending', 'approved', 'paid') group by 1, 2, 3
      ) as y on y."organizationId" = x."organizationId" and y."billId" = x."billId" and y."poId" = x."poId"
    ), "running" as (
      select *,
        coalesce(sum(greatest("open", 0)) over "older", 0) as "openBefore",
        coalesce(sum(least("open", 0)) over "older", 0) as "creditBefore",
        sum(least("open", 0)) over (partition by "organizationId", "poId") as "credits",
        coalesce(sum(greatest("paid", 0)) over (partition by "organizationId", "poId" order by "invoiceDate" desc, "billId" desc
          rows between unbounded preceding and 1 preceding), 0) as "paidAfter"
      from "parts"
      window "older" as (partition by "organizationId", "poId" order by "invoiceDate", "billId"
        rows between unbounded preceding and 1 preceding)
    )
    update "billOrders" as x set "appliedAmount" = n."sign" * (
      case when n."pool" > 0 then greatest(least(greatest(n."open", 0), n."pool" - n."openBefore"), 0)
        else least(greatest(least(n."open", 0), n."pool" - n."creditBefore"), 0)
          + least(greatest(-greatest(n."paid", 0), least(n."pool" - n."credits", 0) + n."paidAfter"), 0) end)
    from "running" as n
    where x."organizationId" = n."organizationId" and x."billId" = n."billId" and x."poId" = n."poId"`.execute(db)
}

async function addUpBills(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "bills" as b set "paidAmount" = s."paid", "reservedAmount" = s."reserved", "discountTaken" = s."taken",
      "status" = case when s."paid" = b."amount" then 'paid' when s."paid" = 0 then 'approved' else 'partially_paid' end
    from (
      select k."organizationId", k."id", coalesce(x."applied", 0) + coalesce(y."paid", 0) as "paid",
        coalesce(y."reserved", 0) as "reserved", coalesce(y."taken", 0) as "taken"
      from "bills" as k
      left join (
        select "organizationId", "billId", sum("appliedAmount") as "applied" from "billOrders" group by 1, 2
      ) as x on x."organizationId" = k."organizationId" and x."billId" = k."id"
      left join (
        select a."organizationId", a."billId",
          sum(a."amount" - a."retainageWithheld") filter (where p."status" = 'paid') as "paid",
          sum(a."amount" - a."retainageWithheld") filter (where p."status" <> 'paid') as "reserved",
          sum(a."discountTaken") filter (where p."status" = 'paid') as "taken"
        from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where p."status" in ('pending', 'approved', 'paid') group by 1, 2
      ) as y on y."organizationId" = k."organizationId" and y."billId" = k."id"
    ) as s
    where b."organizationId" = s."organizationId" and b."id" = s."id"`.execute(db)
}

/** Closes orders that are now settled because their excess was moved to the vendor. */
async function closeSettled(db: Kysely<unknown>): Promise<void> {
  const settled = sql`o."status" = 'completed' and o."rootPoId" is null and o."paidAmount" <> 0
    and o."paidAmount" = o."total" and o."completedAmount" = o."total" and o."billedAmount" = o."total"
    and o."reservedAmount" = 0 and o."releasingAmount" = 0
    and not exists (
      select from "purchaseOrders" as m where m."organizationId" = o."organizationId" and m."rootPoId" = o."id"
        and m."status" not in ('void', 'declined', 'draft', 'pending_approval'))`
  await sql`
    insert into "statusChanges" ("organizationId", "id", "resourceId", "from", "to", "reason", "at", "by")
    select o."organizationId", 'stc_' || substr(o."id", 4), o."id", 'completed', 'closed',
      'The order was paid in full. What was paid beyond its total is a credit of the vendor.', now(),
      jsonb_build_object('type', 'system', 'id', null)
    from "purchaseOrders" as o where ${settled}`.execute(db)
  await sql`
    update "purchaseOrders" as o set "status" = 'closed', "closedAt" = now(), "retainedAmount" = 0,
      "version" = o."version" + 1, "updatedAt" = now()
    where ${settled}`.execute(db)
}

/** Numbers the bills in the order of their creation. */
async function numberBills(db: Kysely<unknown>): Promise<void> {
  await sql`
    update "bills" as b set "number" = 'B-' || lpad(n."place"::text, greatest(length(n."place"::text), 4), '0'),
      "bytes" = n."lines" * 700
    from (
      select k."organizationId", k."id",
        row_number() over (partition by k."organizationId" order by k."createdAt", k."id") as "place",
        (select count(*)::integer from "billLines" as l
          where l."organizationId" = k."organizationId" and l."billId" = k."id") as "lines"
      from "bills" as k
    ) as n
    where b."organizationId" = n."organizationId" and b."id" = n."id"`.execute(db)
  await sql`
    insert into "billNumbers" ("organizationId", "last")
    select "organizationId", count(*) from "bills" group by "organizationId"`.execute(db)
}
