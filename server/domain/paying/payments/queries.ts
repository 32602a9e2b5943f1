import { sql } from 'kysely'
import type { Payment, PaymentAllocation } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource, type NewRowValues } from '../../../platform/resources/resource.ts'
import { toInvoiceKey } from '../bill-records/invoice-key.ts'

/** The fields that come from other tables. */
type ComputedField = 'allocations'

export type NewPayment = NewRowValues<Payment, ComputedField>

const OF_ALLOCATION = [
  ...['billId', 'poId', 'lineId', 'amount', 'retainageWithheld', 'discountAmount', 'discountDueDate', 'dueDate'],
] as const satisfies readonly (keyof PaymentAllocation)[]

const ALLOCATED = OF_ALLOCATION.map((field) => `'${field}', a."${field}"`)

const ALLOCATIONS_SQL = `
  select coalesce(json_agg(json_build_object(${ALLOCATED.join(', ')})
    order by a."position"), '[]')
  from "paymentAllocations" as a where a."organizationId" = t."organizationId" and a."paymentId" = t."id"`

export const { list, find, findAll, findOptional, lock, insert, insertAll, update } = defineResource({
  schema: 'Payment',
  computed: { allocations: ALLOCATIONS_SQL },
  long: ['allocations'],
  filters: {
    poId: (po) =>
      `t."id" in (select a."paymentId" from "paymentAllocations" as a where a."organizationId" = $1 and a."poId" = ${po})`,
    billId: (bill) =>
      `t."id" in (select a."paymentId" from "paymentAllocations" as a where a."organizationId" = $1 and a."billId" = ${bill})`,
    homeId: (home) => `t."id" in (
      select a."paymentId" from "purchaseOrders" as o
      join "paymentAllocations" as a on a."organizationId" = o."organizationId" and a."poId" = o."id"
      where o."organizationId" = $1 and o."homeId" = ${home})`,
    dueBy: (date) => `t."dueDate" <= ${date}`,
  },
})

/** Stores the allocations of new payments and the normalized forms of their invoice numbers. */
export async function insertAllocations(
  call: WriteCall,
  created: readonly Pick<Payment, 'id' | 'allocations' | 'invoiceNumber'>[],
): Promise<void> {
  await call.db
    .insertInto('paymentAllocations')
    .values(
      created.flatMap(({ id, allocations }) =>
        allocations.map((allocation, position) => ({
          organizationId: call.organizationId,
          paymentId: id,
          position,
          ...allocation,
        })),
      ),
    )
    .execute()
  const keys = created.map(({ invoiceNumber }) => (invoiceNumber === null ? null : toInvoiceKey(invoiceNumber)))
  // An allocation uses at most 400 bytes.
  await sql`
    update "payments" as p set "bytes" = 400 * m."allocations", "invoiceKey" = m."invoiceKey"
    from unnest(${created.map(({ id }) => id)}::text[], ${created.map(({ allocations }) => allocations.length)}::integer[],
      ${keys}::text[]) as m ("id", "allocations", "invoiceKey")
    where p."organizationId" = ${call.organizationId} and p."id" = m."id"`.execute(call.db)
}

/** Stores the discounts that were deducted from the allocations of a payment, in order. */
export async function writeDiscountsTaken(call: WriteCall, id: string, taken: readonly number[]): Promise<void> {
  await sql`
    update "paymentAllocations" as a set "discountTaken" = t."amount"
    from unnest(${taken.map((_, place) => place)}::integer[], ${[...taken]}::numeric[]) as t ("place", "amount")
    where a."organizationId" = ${call.organizationId} and a."paymentId" = ${id} and a."position" = t."place"`.execute(
    call.db,
  )
}

/**
 * Returns the amounts by which earlier payments to each vendor exceeded its orders, minus deductions that active
 * payments already make.
 */
export async function findVendorCredits(
  { db, organizationId }: Tenant,
  vendorIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ vendorId: string; credit: number }>`
    select p."vendorId", sum(a."amount") as "credit"
    from "payments" as p
    join "paymentAllocations" as a on a."organizationId" = p."organizationId" and a."paymentId" = p."id"
    where p."organizationId" = ${organizationId} and p."vendorId" = any(${[...vendorIds]}::text[])
      and a."poId" is null and a."billId" is null
      and (p."status" = 'paid' or (p."status" in ('pending', 'approved') and a."amount" < 0))
    group by p."vendorId"`.execute(db)
  return new Map(rows.map(({ vendorId, credit }) => [vendorId, credit]))
}

/** Returns the amount of a lien waiver. */
export async function findWaiverAmount({ db, organizationId }: Tenant, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('lienWaivers')
    .select('amount')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.amount
}

/**
 * Returns the organization's next payment numbers. The counter row stays locked until the transaction ends, so other
 * calls that create payments wait.
 */
export async function takeNextNumbers(call: WriteCall, count: number): Promise<string[]> {
  const { rows } = await sql<{ last: number }>`
    insert into "paymentNumbers" as n ("organizationId", "last") values (${call.organizationId}, ${count})
    on conflict ("organizationId") do update set "last" = n."last" + ${count}
    returning "last"`.execute(call.db)
  const first = Number(rows[0]?.last) - count + 1
  return Array.from({ length: count }, (_, i) => `PM-${String(first + i).padStart(4, '0')}`)
}
