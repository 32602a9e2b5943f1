import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { dateIn } from '../../platform/values/calendar.ts'
import { subtract, sum } from '../../platform/values/money.ts'
import type { Measure, NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

/** What a posting of a budget or a contract is kept apart by. */
type Key = Pick<NewPosting, 'homeId' | 'scope' | 'costCodeId' | 'saleId'>
export type Balance = Key & { amount: number }

/**
 * Posts what a record has changed by since it was last posted, as of today: the difference between its amounts now and
 * the sum of its postings. The caller holds a lock on the record, so that two changes do not post the same difference.
 */
export async function postDifference(
  call: WriteCall,
  { measure, of, now }: { measure: Measure; of: { homeId: string } | { saleId: string }; now: readonly Balance[] },
): Promise<void> {
  const [column, id] = 'saleId' in of ? ['saleId', of.saleId] : ['homeId', of.homeId]
  const { rows: posted } = await sql<Balance>`
    select "homeId", "scope", "costCodeId", "saleId", sum("amount") as "amount" from "postings"
    where "organizationId" = ${call.organizationId} and ${sql.ref(String(column))} = ${id} and "measure" = ${measure}
    group by "homeId", "scope", "costCodeId", "saleId"`.execute(call.db)
  const [there, wanted] = [getTotals(posted), getTotals(now)]
  const effectiveDate = dateIn(call.timeZone, call.now)
  const postings = [...new Map([...there, ...wanted])].map(([key, { amount: _, ...of }]) => ({
    ...{ ...of, measure, effectiveDate },
    amount: subtract(wanted.get(key)?.amount ?? 0, there.get(key)?.amount ?? 0),
  }))
  await recordPostings(call, { postings })
}

function getTotals(balances: readonly Balance[]): Map<string, Balance> {
  const grouped = Map.groupBy(balances, ({ homeId, scope = null, costCodeId = null, saleId = null }) =>
    JSON.stringify([homeId, scope, costCodeId, saleId]),
  )
  return new Map(
    [...grouped].flatMap(([key, group]) => {
      const [first] = group
      return first === undefined ? [] : [[key, { ...first, amount: sum(group.map(({ amount }) => amount)) }]]
    }),
  )
}
