import { hasApproximateFigures } from '../../../domain/ledger/balances.ts'
import { findStartDate } from '../../../domain/ledger/period.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { formatDate } from '../../../platform/values/format.ts'

/** Returns a sentence for the report if its first day is before the start of the ledger; otherwise false. */
export async function explainEarlyDate(call: Call, day: string): Promise<string | false> {
  const startDate = await findStartDate(call)
  return (
    startDate !== null &&
    hasApproximateFigures(day, startDate) &&
    `The ledger starts on ${formatDate(startDate)}. Dates of earlier amounts are derived from older records.`
  )
}
