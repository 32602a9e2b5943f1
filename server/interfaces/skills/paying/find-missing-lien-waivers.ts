import { sql } from 'kysely'
import type {
  FindMissingLienWaiversInput,
  FindMissingLienWaiversResult,
  Payment,
} from '../../../../client/contract.gen.ts'
import { chooseWaiverType } from '../../../domain/paying/lien-waivers/lien-waiver.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { sum } from '../../../platform/values/money.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'

const MAX_PAYMENTS = 500

type PaymentWithoutWaiver = FindMissingLienWaiversResult['payments'][number]
type UncoveredPayment = Omit<PaymentWithoutWaiver, 'missing'> & Pick<Payment, 'paymentType' | 'retainageWithheld'>

export async function findMissingLienWaivers(
  input: FindMissingLienWaiversInput,
  call: Call,
): Promise<FindMissingLienWaiversResult> {
  const { rows, truncated } = truncateRows(await findUncoveredPayments(call, input), MAX_PAYMENTS)
  const payments = rows.map(({ paymentType, retainageWithheld, ...row }): PaymentWithoutWaiver => {
    return { ...row, missing: chooseWaiverType({ status: row.status, paymentType, retainageWithheld }) }
  })
  return {
    payments,
    amount: sum(payments.map(({ amount }) => amount)),
    closingBlockers: payments.filter(({ blocksClosing }) => blocksClosing).length,
    ...createReportFooter(call, {
      truncated,
      unknown: [
        'Payments awaiting approval, payments that were migrated from another system, and vendors that are exempt from lien waivers are excluded.',
      ],
    }),
    currency: call.currency,
  }
}

/**
 * Returns approved payments without a conditional lien waiver and paid payments without an unconditional one. Leaves
 * out payments from another system, because their lien waivers were signed there.
 */
async function findUncoveredPayments(
  call: Call,
  { homeId, communityId }: FindMissingLienWaiversInput,
): Promise<UncoveredPayment[]> {
  const { db, organizationId } = call
  const ofHome = sql`(select h."id" from "homes" h where h."organizationId" = ${organizationId}
    and (${homeId ?? null}::text is null or h."id" = ${homeId ?? null})
    and (${communityId ?? null}::text is null or h."communityId" = ${communityId ?? null}))`
  const isThere =
    homeId === undefined && communityId === undefined
      ? sql``
      : sql`and p."id" in (
          select a."paymentId" from "purchaseOrders" o
          join "paymentAllocations" a on a."organizationId" = o."organizationId" and a."poId" = o."id"
          where o."organizationId" = ${organizationId} and o."homeId" in ${ofHome})`
  const { rows } = await sql<UncoveredPayment>`
    with "lacking" as materialized (
      select p."id", p."number", p."vendorId", v."companyName" as "vendor", p."status", p."amount", p."paidDate", p."paymentType",
        p."retainageWithheld", p."status" = 'paid' and p."lienWaiverId" is null as "blocksClosing"
      from "payments" p
      join "vendors" v on v."organizationId" = p."organizationId" and v."id" = p."vendorId" and v."lienWaiverRequired"
      where p."organizationId" = ${organizationId} and p."status" in ('approved', 'paid') and p."amount" > 0
        and not p."migrated" ${isThere}
        and not exists (
          select from "lienWaivers" w where w."organizationId" = p."organizationId" and w."paymentId" = p."id"
            and w."status" in ('signed', 'accepted')
            and (p."status" = 'approved' or w."waiverType" in ('unconditional_progress', 'unconditional_final')))
      order by 10 desc, p."amount" desc, p."id" limit ${MAX_PAYMENTS + 1}
    )
    select k."id" as "paymentId", k."number", k."vendorId", k."vendor", k."status", k."amount", k."paidDate", k."paymentType",
      k."retainageWithheld", k."blocksClosing",
      (select max(w."id") from "lienWaivers" w where w."organizationId" = ${organizationId} and w."paymentId" = k."id"
        and w."status" = 'requested'
        and (w."waiverType" in ('unconditional_progress', 'unconditional_final')) = (k."status" = 'paid')) as "requestedWaiverId",
      coalesce((select left(string_agg(distinct h."name", ', ' order by h."name"), 500) from "paymentAllocations" a
        join "purchaseOrders" o on o."organizationId" = a."organizationId" and o."id" = a."poId"
        join "homes" h on h."organizationId" = o."organizationId" and h."id" = o."homeId"
        where a."organizationId" = ${organizationId} and a."paymentId" = k."id"), '') as "homes"
    from "lacking" k order by k."blocksClosing" desc, k."amount" desc, k."id"`.execute(db)
  return rows
}
