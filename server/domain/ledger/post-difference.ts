import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { subtract, sum } from '../../platform/values/money.ts'
import type { Measure, NewPosting } from './posting.ts'
import { recordPostings } from './record-postings.ts'

/** The fields that identify the postings of a budget or a contract. */
type Key = Pick<NewPosting, 'homeId' | 'scope' | 'costCodeId' | 'saleId'>
export type Balance = Key & { amount: number }

interface Difference {
  measure: Measure
  of: { homeId: string } | { saleId: string }
  now: readonly Balance[]
  /** Defaults to today. */
  effectiveDate?: string
  note?: string | null
}

/**
 * Posts the difference between the current amounts of a record and the sum of its postings. The caller must hold a lock
 * on the record, so that concurrent changes do not post the same difference.
 */
export async function postDifference(
  call: WriteCall,
  { measure, of, now, effectiveDate = toLocalDate(call.timeZone, call.now), note = null }: Difference,
): Promise<void> {
  const [column, id] = 'saleId' in of ? ['saleId', of.saleId] : ['homeId', of.homeId]
  const { rows: posted } = await sql<Balance>`
    select "homeId", "scope", "costCodeId", "saleId", sum("amount") as "amount" from "postings"
    where "organizationId" = ${call.organizationId} and ${sql.ref(String(column))} = ${id} and "measure" = ${measure}
    group by "homeId", "scope", "costCodeId", "saleId"`.execute(call.db)
  const [there, wanted] = [getTotals(posted), getTotals(now)]
  const postings = [...new Map([...there, ...wanted])].map(([key, { amount: _, ...of }]) => ({
    ...{ ...of, measure, effectiveDate },
    amount: subtract(wanted.get(key)?.amount ?? 0, there.get(key)?.amount ?? 0),
  }))
  await recordPostings(call, { postings, note })
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
