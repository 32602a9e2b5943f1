import { sql } from 'kysely'
import type { Payment } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource, type NewRowValues } from '../../../platform/resources/resource.ts'

/** The fields that come from another table. */
type ComputedField = 'allocations'

export type NewPayment = NewRowValues<Payment, ComputedField>

const ALLOCATIONS_SQL = `
  select coalesce(json_agg(json_build_object('poId', a."poId", 'lineId', a."lineId", 'amount', a."amount",
    'retainageWithheld', a."retainageWithheld") order by a."position"), '[]')
  from "paymentAllocations" as a where a."organizationId" = t."organizationId" and a."paymentId" = t."id"`

export const { list, find, findAll, findOptional, lock, insert, insertAll, update } = defineResource({
  schema: 'Payment',
  computed: { allocations: ALLOCATIONS_SQL },
  long: ['allocations'],
  filters: {
    poId: (po) =>
      `t."id" in (select a."paymentId" from "paymentAllocations" as a where a."organizationId" = $1 and a."poId" = ${po})`,
    homeId: (home) => `t."id" in (
      select a."paymentId" from "purchaseOrders" as o
      join "paymentAllocations" as a on a."organizationId" = o."organizationId" and a."poId" = o."id"
      where o."organizationId" = $1 and o."homeId" = ${home})`,
    dueBy: (date) => `t."dueDate" <= ${date}`,
  },
})

export async function insertAllocations(
  call: WriteCall,
  created: readonly Pick<Payment, 'id' | 'allocations'>[],
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
  // An allocation takes at most 200 bytes.
  await sql`
    update "payments" as p set "bytes" = 200 * m."allocations"
    from unnest(${created.map(({ id }) => id)}::text[], ${created.map(({ allocations }) => allocations.length)}::integer[])
      as m ("id", "allocations")
    where p."organizationId" = ${call.organizationId} and p."id" = m."id"`.execute(call.db)
}

/**
 * Returns the organization's next numbers. The counter row stays locked until the transaction ends, so other creators
 * wait.
 */
export async function takeNextNumbers(call: WriteCall, count: number): Promise<string[]> {
  const { rows } = await sql<{ last: number }>`
    insert into "paymentNumbers" as n ("organizationId", "last") values (${call.organizationId}, ${count})
    on conflict ("organizationId") do update set "last" = n."last" + ${count}
    returning "last"`.execute(call.db)
  const first = Number(rows[0]?.last) - count + 1
  return Array.from({ length: count }, (_, i) => `PM-${String(first + i).padStart(4, '0')}`)
}

/**
 * Returns the active payment of the invoice. The result is exact while the vendor's row is locked, because every
 * creation locks it.
 */
export async function findByInvoice(
  { db, organizationId }: Tenant,
  vendorId: string,
  invoiceNumber: string,
): Promise<Pick<Payment, 'number'> | undefined> {
  const { rows } = await sql<Pick<Payment, 'number'>>`
    select "number" from "payments"
    where "organizationId" = ${organizationId} and "vendorId" = ${vendorId} and "invoiceKey" = lower(${invoiceNumber})
      and "status" in ('pending', 'approved', 'paid')
    order by "id" limit 1`.execute(db)
  return rows[0]
}
