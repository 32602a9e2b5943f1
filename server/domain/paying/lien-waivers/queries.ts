import { sql } from 'kysely'
import type { Address, LienWaiver, LienWaiverType } from '../../../../client/contract.gen.ts'
import type { Tenant } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { ORDER_REQUIRES_WAIVER_SQL } from '../waiver-rule.ts'

export const { list, find, findAll, findOptional, lock, insert, update } = defineResource({
  schema: 'LienWaiver',
  long: ['text', 'exceptions'],
})

type ValidWaiver = Pick<LienWaiver, 'id' | 'waiverType' | 'status' | 'amount'>

/**
 * Returns the lien waivers of a payment that are neither rejected nor void. There are at most two: one from before and
 * one from after the payment was made.
 */
export async function findValidWaivers({ db, organizationId }: Tenant, paymentId: string): Promise<ValidWaiver[]> {
  const { rows } = await sql<ValidWaiver>`
    select "id", "waiverType", "status", "amount" from "lienWaivers"
    where "organizationId" = ${organizationId} and "paymentId" = ${paymentId}
      and "status" in ('requested', 'signed', 'accepted')
    order by "id"`.execute(db)
  return rows
}

/** Returns the latest signed and valid lien waiver of a payment; null if there is no such lien waiver. */
export async function findLastSignedWaiverId(
  { db, organizationId }: Tenant,
  paymentId: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "lienWaivers"
    where "organizationId" = ${organizationId} and "paymentId" = ${paymentId} and "status" in ('signed', 'accepted')
    order by "id" desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}

/**
 * An order that a payment pays, with its home and community, as stated in a lien waiver. A payment of several orders
 * has one of these for each order.
 */
export interface NamedOrder {
  number: string
  homeName: string
  address: Address | null
  lotNumber: string | null
  community: string
}

export async function findNamedOrders({ db, organizationId }: Tenant, poIds: readonly string[]): Promise<NamedOrder[]> {
  const { rows } = await sql<NamedOrder>`
    select o."number", h."name" as "homeName", h."address", h."lotNumber", c."name" as "community"
    from "purchaseOrders" as o
    join "homes" as h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
    join "communities" as c on c."organizationId" = h."organizationId" and c."id" = h."communityId"
    where o."organizationId" = ${organizationId} and o."id" = any(${[...poIds]}::text[])
    order by o."number", o."id"`.execute(db)
  return rows
}

const UNCONDITIONAL_TYPES: readonly LienWaiverType[] = ['unconditional_progress', 'unconditional_final']

/**
 * Returns the given orders that have a payment without a signed unconditional lien waiver. Ignores corrections in the
 * builder's favor, which require no lien waiver.
 */
export async function findOrdersLackingWaiver(
  { db, organizationId }: Tenant,
  poIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ poId: string }>`
    select distinct a."poId"
    from "paymentAllocations" as a
    join "payments" as p on p."organizationId" = a."organizationId" and p."id" = a."paymentId"
    join "purchaseOrders" as o on o."organizationId" = a."organizationId" and o."id" = a."poId"
    join "vendors" as v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
    join "organizations" as g on g."id" = a."organizationId" and ${sql.raw(ORDER_REQUIRES_WAIVER_SQL)}
    where a."organizationId" = ${organizationId} and a."poId" = any(${[...poIds]}::text[])
      and p."status" = 'paid' and p."amount" > 0
      and not exists (
        select 1 from "lienWaivers" as w
        where w."organizationId" = p."organizationId" and w."paymentId" = p."id"
          and w."waiverType" in (${sql.join(UNCONDITIONAL_TYPES)}) and w."status" in ('signed', 'accepted'))`.execute(
    db,
  )
  return new Set(rows.map(({ poId }) => poId))
}
