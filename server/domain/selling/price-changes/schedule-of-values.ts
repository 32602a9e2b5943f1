import type { FieldError, Sale, ScheduleLine, ScheduleLineInput } from '../../../../client/contract.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'

/** The maximum number of lines in the API contract. */
export const MAX_LINES = 200

/**
 * Returns the lines of a schedule of values after a change. Lines with an existing `lineId` keep their ID. All other
 * lines receive the next unused ID. Throws `validation_failed` if a `lineId` does not exist or occurs twice.
 */
export function numberScheduleLines(
  before: readonly ScheduleLine[],
  provided: readonly ScheduleLineInput[],
): ScheduleLine[] {
  const known = new Set(before.map(({ lineId }) => lineId))
  const used = new Set<string>()
  let last = Math.max(0, ...before.map(({ lineId }) => Number(lineId.slice(1))))
  return provided.map(({ lineId = null, description, scope = null, scheduledValue }, i) => {
    if (lineId !== null && (!known.has(lineId) || used.has(lineId)))
      throw validationFailed([
        {
          pointer: `/lines/${i}/lineId`,
          code: 'unknown',
          message: 'must be a line of this schedule, and can be listed only once',
        },
      ])
    const id = lineId ?? `L${++last}`
    used.add(id)
    return { lineId: id, description, scope, scheduledValue }
  })
}

export function sumScheduledValues(lines: readonly Pick<ScheduleLine, 'scheduledValue'>[]): number {
  return sum(lines.map(({ scheduledValue }) => scheduledValue))
}

/**
 * Returns the errors in the lines of a schedule.
 *
 * @param billed the completed and stored amount of each line in applications that count, by `lineId`
 */
export function findScheduleErrors(
  lines: readonly ScheduleLine[],
  { totalPrice, currency }: Pick<Sale, 'totalPrice' | 'currency'>,
  billed: ReadonlyMap<string, number>,
): FieldError[] {
  const errors: FieldError[] = []
  const total = sumScheduledValues(lines)
  if (total !== totalPrice)
    errors.push({
      pointer: '/lines',
      code: 'total',
      message: `must total the price of the sale (${formatAmount(totalPrice, currency)}), but totals ${formatAmount(total, currency)}`,
    })
  for (const [lineId, amount] of billed) {
    const index = lines.findIndex((line) => line.lineId === lineId)
    if (index < 0) {
      if (amount !== 0)
        errors.push({ pointer: '/lines', code: 'required', message: `must include ${lineId}, which has been billed` })
    } else if (exceedsScheduledValue(amount, lines[index]?.scheduledValue ?? 0)) {
      const pointer = `/lines/${index}/scheduledValue`
      errors.push({
        pointer,
        code: 'minimum',
        message: `must be at least the billed amount (${formatAmount(amount, currency)})`,
      })
    }
  }
  return errors
}

/**
 * Returns whether an amount exceeds a scheduled value. If the scheduled value is negative (a deduction), returns
 * whether the amount is below it.
 */
export function exceedsScheduledValue(amount: number, scheduledValue: number): boolean {
  return scheduledValue < 0 ? amount < scheduledValue || amount > 0 : amount > scheduledValue || amount < 0
}
