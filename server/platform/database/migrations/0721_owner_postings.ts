import { type Kysely, sql } from 'kysely'

/**
 * The ledger now contains certified applications, receipts and deposits of buyers, and funded draws. Previously,
 * reports read these amounts from their records. Existing amounts are posted on the dates of their records or, in
 * closed periods, on the first open day.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "postings" drop constraint "postings_measure_check"`.execute(db)
  await sql`
    alter table "postings" add constraint "postings_measure_check" check ("measure" in ('commitment', 'cost', 'unbilled',
      'payable', 'retainage', 'paid', 'discount', 'withheldTax', 'payroll', 'other', 'budget', 'contract', 'ownerBilled',
      'ownerRetainage', 'ownerReceived', 'ownerDeposit', 'loan', 'stored')) not valid`.execute(db)
  await postOwnerHistory(db)
}

export async function postOwnerHistory(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into "postings" ("organizationId", "id", "entryId", "measure", "amount", "effectiveDate", "recordedAt", "homeId",
      "saleId", "basis", "note", "actor")
    select h."organizationId", 'pst_02' || lpad((row_number() over "inOrder")::text, 24, '0'),
      'ent_02' || lpad((row_number() over "inOrder")::text, 24, '0'), h."measure", h."amount",
      greatest(h."on", coalesce(k."closedThrough" + 1, h."on")), now(), h."homeId", h."saleId", 'migrated',
      'Derived from older records.', '{"type": "system", "id": null}'
    from (${HISTORY}) as h
    left join "ledgers" as k on k."organizationId" = h."organizationId"
    where h."amount" <> 0
    window "inOrder" as (order by h."organizationId", h."on", h."saleId", h."homeId", h."measure", h."part")`.execute(
    db,
  )
  await sql`
    insert into "ledgers" ("organizationId", "startDate")
    select o."id", (now() at time zone o."timeZone")::date from "organizations" as o
    where exists (select from "postings" as p where p."organizationId" = o."id") on conflict do nothing`.execute(db)
}

const CERTIFIED = sql`('certified', 'partially_paid', 'paid')`

const HISTORY = sql`
  select a."organizationId", a."homeId", a."saleId", m."measure", a."periodTo" as "on", a."id" as "part",
    case m."measure" when 'ownerBilled' then a."billedAmount" else a."retainage" - a."retainedBefore" end as "amount"
  from (
    select n.*, coalesce(lag(n."retainage") over (
      partition by n."organizationId", n."saleId" order by n."number"), 0) as "retainedBefore"
    from "applications" as n where n."status" in ${CERTIFIED}
  ) as a
  join "sales" as s on s."organizationId" = a."organizationId" and s."id" = a."saleId" and s."status" <> 'cancelled'
  cross join (values ('ownerBilled'), ('ownerRetainage')) as m ("measure")
  union all
  select a."organizationId", a."homeId", a."saleId", 'ownerReceived', (r.value ->> 'date')::date,
    a."id" || ' ' || lpad(r."position"::text, 4, '0'), (r.value ->> 'amount')::numeric
  from "applications" as a
  cross join lateral jsonb_array_elements(a."receipts"::jsonb) with ordinality as r ("value", "position")
  where a."status" in ${CERTIFIED}
  union all
  select s."organizationId", s."homeId", s."id", 'ownerDeposit', (d.value ->> 'receivedDate')::date,
    d.value ->> 'depositId', (d.value ->> 'amount')::numeric
  from "sales" as s
  cross join lateral jsonb_array_elements(s."deposits"::jsonb) as d ("value")
  where d.value ->> 'status' = 'received' and d.value ->> 'receivedDate' is not null
  union all
  select w."organizationId", w."homeId", null, 'loan', case v."sign" when 1 then w."fundedDate" else w."repaidDate" end,
    w."id" || case v."sign" when 1 then '' else ' repaid' end, v."sign" * w."fundedAmount"
  from "loanDraws" as w cross join (values (1), (-1)) as v ("sign")
  where case v."sign" when 1 then w."fundedDate" else w."repaidDate" end is not null`
