import { sql } from 'kysely'
import type { Tenant } from '../../platform/calls/call.ts'
import type { Measure, NewPosting } from './posting.ts'

/** The balance of a measure for an order line or a bill. */
export type OpenBalance = Required<
  Pick<
    NewPosting,
    'measure' | 'amount' | 'homeId' | 'scope' | 'costCodeId' | 'vendorId' | 'poId' | 'poLineId' | 'billId'
  >
>

/**
 * Returns the nonzero balances of the measures, by order line and by bill. The balances are exact while the orders are
 * locked, because every posting to an order locks the order.
 */
export async function getOpenBalances(
  { db, organizationId }: Tenant,
  measures: readonly Measure[],
  of: { poIds: readonly string[] } | { billIds: readonly string[] },
): Promise<OpenBalance[]> {
  const [column, ids] = 'poIds' in of ? ['poId', of.poIds] : ['billId', of.billIds]
  if (ids.length === 0) return []
  const { rows } = await sql<OpenBalance>`
    select "measure", "homeId", "scope", "costCodeId", "vendorId", "poId", "poLineId", "billId", sum("amount") as "amount"
    from "postings"
    where "organizationId" = ${organizationId} and ${sql.ref(column)} = any(${[...ids]}::text[])
      and "measure" = any(${[...measures]}::text[])
    group by 1, 2, 3, 4, 5, 6, 7, 8 having sum("amount") <> 0
    order by 6, 7, 8, 1, 2, 3, 4, 5`.execute(db)
  return rows
}
