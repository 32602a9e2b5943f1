import { sql } from 'kysely'
import type { Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { toPostingDate } from '../../ledger/period.ts'
import { type Balance, postDifference } from '../../ledger/post-difference.ts'
import * as sales from './queries.ts'

type OwnerMeasure = 'ownerBilled' | 'ownerRetainage' | 'ownerReceived' | 'ownerDeposit'

/**
 * Posts the changes in the amounts that the buyers of a locked sale were billed, that were retained, and that they
 * paid, and in the deposits that are held. A canceled sale has no billed amounts.
 *
 * @param date date of the document that changes the amounts
 */
export async function postOwnerAmounts(
  call: WriteCall,
  saleId: string,
  date: string,
  note: string | null = null,
): Promise<void> {
  const sale = await sales.find(call, saleId)
  const effectiveDate = await toPostingDate(call, date)
  for (const { measure, amount } of await findOwnerAmounts(call, sale)) {
    const now: Balance[] = amount === 0 ? [] : [{ homeId: sale.homeId, saleId, amount }]
    await postDifference(call, { measure, of: { saleId }, now, effectiveDate, note })
  }
}

async function findOwnerAmounts(
  { db, organizationId }: WriteCall,
  { id, status, depositsReceived }: Sale,
): Promise<{ measure: OwnerMeasure; amount: number }[]> {
  const isCanceled = status === 'cancelled'
  // The retainage of the latest application includes that of all earlier applications.
  const { rows } = await sql<{ billed: number; retained: number; received: number }>`
    select coalesce(sum("billedAmount"), 0) as "billed", coalesce((array_agg("retainage" order by "number" desc))[1], 0) as "retained",
      coalesce(sum("receivedAmount"), 0) as "received"
    from "applications"
    where "organizationId" = ${organizationId} and "saleId" = ${id} and "status" in ('certified', 'partially_paid', 'paid')`.execute(
    db,
  )
  const { billed = 0, retained = 0, received = 0 } = rows[0] ?? {}
  return [
    { measure: 'ownerBilled', amount: isCanceled ? 0 : billed },
    { measure: 'ownerRetainage', amount: isCanceled ? 0 : retained },
    { measure: 'ownerReceived', amount: received },
    { measure: 'ownerDeposit', amount: depositsReceived },
  ]
}
