import { CompiledQuery, sql } from 'kysely'
import type { Bill, BillLine } from '../../../../client/contract.gen.ts'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { defineResource, type NewRowValues } from '../../../platform/resources/resource.ts'
import { sum } from '../../../platform/values/money.ts'

/** Fields that the queries compute from other columns and tables. */
type Computed = 'lines' | 'openAmount'

export type NewBill = NewRowValues<Bill, Computed>

const OF_LINE = [
  ...['lineId', 'poId', 'poLineId', 'homeId', 'costCodeId', 'description', 'amount', 'taxAmount', 'retainageWithheld'],
  'reportingBox',
] as const satisfies readonly (keyof BillLine)[]

const LINES = `
  select coalesce(json_agg(json_build_object(${OF_LINE.map((field) => `'${field}', l."${field}"`).join(', ')})
    order by l."position"), '[]')
  from "billLines" as l where l."organizationId" = t."organizationId" and l."billId" = t."id"`

const resourceOfBills = defineResource({
  schema: 'Bill',
  computed: { lines: LINES, openAmount: 't."openAmount"' },
  long: ['lines'],
  filters: {
    poId: (po) =>
      `t."id" in (select l."billId" from "billLines" as l where l."organizationId" = $1 and l."poId" = ${po})`,
    homeId: (home) =>
      `t."id" in (select l."billId" from "billLines" as l where l."organizationId" = $1 and l."homeId" = ${home})`,
    dueBy: (date) => `t."dueDate" <= ${date}`,
  },
})

export const { list, find, findAll, findOptional, lock, update } = resourceOfBills

/** Stores a bill with its lines. */
export async function insert(call: WriteCall, bill: NewBill, lines: readonly BillLine[]): Promise<Bill> {
  const created = resourceOfBills.make(call, bill)
  await resourceOfBills.insertAll(call, [created], { bytes: getBytes(lines) })
  await insertLines(call, created.id, lines)
  return find(call, created.id)
}

const COLUMNS_OF_LINE = ['position', ...OF_LINE].map((column) => `"${column}"`)
const INSERTION_OF_LINES = `
  insert into "billLines" ("organizationId", "billId", ${COLUMNS_OF_LINE.join(', ')})
  select o."id", $2::text, ${COLUMNS_OF_LINE.map((column) => `l.${column}`).join(', ')}
  from "organizations" as o cross join json_populate_recordset(null::"billLines", $3::json) as l
  where o."id" = $1`

/** Stores the lines of a bill, and the totals of the lines for each order. */
async function insertLines(
  { db, organizationId }: WriteCall,
  billId: string,
  lines: readonly BillLine[],
): Promise<void> {
  const provided = JSON.stringify(lines.map((line, position) => ({ ...line, position })))
  await db.executeQuery(CompiledQuery.raw(INSERTION_OF_LINES, [organizationId, billId, provided]))
  const shares = [...Map.groupBy(lines, ({ poId }) => poId)].flatMap(([poId, of]) =>
    poId === null
      ? []
      : {
          poId,
          grossAmount: sum(of.map(({ amount }) => amount)),
          retainageWithheld: sum(of.map(({ retainageWithheld }) => retainageWithheld)),
        },
  )
  if (shares.length === 0) return
  await db
    .insertInto('billOrders')
    .values(shares.map((share) => ({ organizationId, billId, ...share })))
    .execute()
}

export async function replaceLines(call: WriteCall, billId: string, lines: readonly BillLine[]): Promise<void> {
  const { db, organizationId } = call
  for (const table of ['billLines', 'billOrders'] as const)
    await db.deleteFrom(table).where('organizationId', '=', organizationId).where('billId', '=', billId).execute()
  await insertLines(call, billId, lines)
  await db
    .updateTable('bills')
    .set({ bytes: getBytes(lines) })
    .where('organizationId', '=', organizationId)
    .where('id', '=', billId)
    .execute()
}

/** Estimates the maximum size of the lines of a bill in bytes: 600 for each line, plus its description. */
function getBytes(lines: readonly BillLine[]): number {
  return lines.reduce((bytes, { description }) => bytes + 600 + Buffer.byteLength(description), 0)
}

/** Locks bills in the order of their IDs. */
export async function lockByIds({ db, organizationId }: WriteCall, ids: readonly string[]): Promise<void> {
  await sql`
    select "id" from "bills" where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[])
    order by "id" for no key update`.execute(db)
}

/** Returns the completion bills of an order that are not on a payment, newest first. */
export async function findUnpaidCompletionBills(
  { db, organizationId }: Tenant,
  poId: string,
): Promise<{ id: string; gross: number }[]> {
  const { rows } = await sql<{ id: string; gross: number }>`
    select b."id", o."grossAmount" as "gross"
    from "billOrders" as o
    join "bills" as b on b."organizationId" = o."organizationId" and b."id" = o."billId"
    where o."organizationId" = ${organizationId} and o."poId" = ${poId} and b."source" in ('completion', 'migration')
      and b."status" in ('approved', 'partially_paid', 'paid') and b."grossAmount" = o."grossAmount"
      and not exists (
        select from "paymentAllocations" as a
        join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
        where a."organizationId" = b."organizationId" and a."billId" = b."id" and p."status" in ('pending', 'approved', 'paid'))
    order by b."id" desc`.execute(db)
  return rows
}

/**
 * Returns the next bill numbers of the organization. The counter row stays locked until the transaction ends, so
 * concurrent requests for bill numbers wait.
 */
export async function takeNextNumbers(call: WriteCall, count: number): Promise<string[]> {
  const { rows } = await sql<{ last: number }>`
    insert into "billNumbers" as n ("organizationId", "last") values (${call.organizationId}, ${count})
    on conflict ("organizationId") do update set "last" = n."last" + ${count}
    returning "last"`.execute(call.db)
  const first = Number(rows[0]?.last) - count + 1
  return Array.from({ length: count }, (_, i) => `B-${String(first + i).padStart(4, '0')}`)
}

/**
 * Returns a bill or payment of the vendor with the invoice key, ignoring rejected and void records. The result is exact
 * while the vendor's row is locked, because every creation locks this row. Ignores the bills in `except` and,
 * optionally, their payments.
 */
export async function findRecordedInvoice(
  { db, organizationId }: Tenant,
  vendorId: string,
  invoiceKey: string,
  except: { bills: readonly string[]; withPayments: boolean },
): Promise<{ id: string; number: string } | undefined> {
  const { rows } = await sql<{ id: string; number: string }>`
    select b."id", b."number" from "bills" as b
    where b."organizationId" = ${organizationId} and b."vendorId" = ${vendorId} and b."invoiceKey" = ${invoiceKey}
      and b."status" not in ('rejected', 'void') and not b."id" = any(${[...except.bills]}::text[])
    union all
    select p."id", p."number" from "payments" as p
    where p."organizationId" = ${organizationId} and p."vendorId" = ${vendorId} and p."invoiceKey" = ${invoiceKey}
      and p."status" in ('pending', 'approved', 'paid')
      and not exists (
        select from "paymentAllocations" as a
        where a."organizationId" = p."organizationId" and a."paymentId" = p."id" and a."billId" = any(${except.withPayments ? [...except.bills] : []}::text[]))
    order by 1 limit 1`.execute(db)
  return rows[0]
}

/** Returns whether the bill is on a payment that is neither rejected nor void. */
export async function isOnPayment({ db, organizationId }: Tenant, billId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    where a."organizationId" = ${organizationId} and a."billId" = ${billId}
      and p."status" in ('pending', 'approved', 'paid') limit 1`.execute(db)
  return rows.length > 0
}

/** Increases the version of a locked bill whose lines have changed but whose totals have not. */
export async function bumpVersion(call: WriteCall, id: string): Promise<Bill> {
  await sql`
    update "bills" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  recordChange(call, id, 'updated', ['lines'])
  return find(call, id)
}
