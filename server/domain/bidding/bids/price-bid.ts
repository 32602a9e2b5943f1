import type { BidLine, BidRequest, FieldError } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount, formatMaxAmount } from '../../../platform/values/format.ts'
import { computeLineTotal, isWithinMoneyRange, sum } from '../../../platform/values/money.ts'

interface PricedBid {
  amount: number
  lines: BidLine[]
}

type BidForm = Pick<BidRequest, 'lines' | 'bidType'>
type BidLineInput = Checked['BidLineInput']

/**
 * Checks the prices of a bid against the bid form, and sums them without alternates. Throws one problem that contains
 * all errors. An amount that contradicts the lines is an error, because one of them must be wrong.
 */
export function priceBid(
  form: BidForm,
  { lines, amount }: { lines: readonly BidLineInput[]; amount: number | undefined },
  currency: string,
): PricedBid {
  const errors: FieldError[] = []
  const whole = priceLines(form, lines, errors, currency)
  errors.push(...findMissingLines(form, whole))
  if (errors.length > 0) throw validationFailed(errors)

  if (whole.length === 0) {
    if (amount === undefined)
      throw validationFailed([{ pointer: '/amount', code: 'required', message: 'is required unless lines is set' }])
    return { amount, lines: [] }
  }
  const amounts = whole.flatMap((line) => (line.alternate ? [] : (line.amount ?? [])))
  const total = sum(amounts)
  if (amounts.length === 0)
    errors.push({
      pointer: '/lines',
      code: 'priced',
      message: 'must have at least one line with a price that is not an alternate',
    })
  else if (total < 0 || !isWithinMoneyRange(total))
    errors.push({
      pointer: '/lines',
      code: 'sum',
      message: `must have a total between ${formatAmount(0, currency)} and ${formatMaxAmount(currency)}`,
    })
  else if (amount !== undefined && amount !== total) {
    errors.push({
      pointer: '/amount',
      code: 'sum',
      message: `must equal the sum of the lines (${formatAmount(total, currency)}) or be omitted`,
    })
  }
  if (errors.length > 0) throw validationFailed(errors)
  return { amount: total, lines: whole }
}

/** Returns the lines, with their names from the request and their computed amounts. */
function priceLines(form: BidForm, lines: readonly BidLineInput[], errors: FieldError[], currency: string): BidLine[] {
  const requested = new Map(form.lines.map((line) => [line.lineId, line]))
  const taken = new Set([...requested.keys(), ...lines.flatMap((line) => line.lineId ?? [])])
  const seen = new Set<string>()
  return lines.map((line, i) => {
    const at = (field: string, code: string, message: string) =>
      errors.push({ pointer: `/lines/${i}/${field}`, code, message })
    const { excluded, alternate, note = null, unitPrice } = line
    const same = line.lineId === undefined ? undefined : requested.get(line.lineId)
    if (line.lineId !== undefined) {
      if (requested.size > 0 && same === undefined)
        at('lineId', 'unknown_line', 'is not a line of the bid request; omit lineId for an additional line')
      if (seen.has(line.lineId)) at('lineId', 'unique', 'must be unique; another line has the same lineId')
      seen.add(line.lineId)
    }
    const description = line.description ?? same?.description
    if (description === undefined)
      at('description', 'required', 'is required unless the bid request has a line with this lineId')
    if (excluded && unitPrice !== undefined) at('unitPrice', 'excluded', 'must be omitted when excluded is true')
    if (!excluded && unitPrice === undefined) at('unitPrice', 'required', 'is required unless excluded is true')

    const quantity = line.quantity ?? same?.quantity ?? 1
    const amount = unitPrice === undefined ? null : computeLineTotal(quantity, unitPrice, currency)
    if (amount !== null && !isWithinMoneyRange(amount))
      at(
        'unitPrice',
        'maximum',
        `times quantity must be between -${formatMaxAmount(currency)} and ${formatMaxAmount(currency)}`,
      )
    return {
      lineId: line.lineId ?? uniqueLineId(requested.size > 0 ? 'extra' : 'line', taken),
      description: description ?? '',
      quantity,
      unit: line.unit ?? same?.unit ?? 'LS',
      unitPrice: unitPrice ?? null,
      amount,
      excluded,
      alternate,
      note,
    }
  })
}

function uniqueLineId(word: string, taken: Set<string>): string {
  let place = 1
  while (taken.has(`${word}-${place}`)) place++
  taken.add(`${word}-${place}`)
  return `${word}-${place}`
}

/** Returns an error for each missing line, if the form requires a price for each line. */
function findMissingLines(form: BidForm, lines: readonly BidLine[]): FieldError[] {
  if (form.bidType === 'lump_sum') return []
  const said = new Set(lines.map((line) => line.lineId))
  return form.lines
    .filter((line) => line.required && !said.has(line.lineId))
    .map((line) => ({
      pointer: '/lines',
      code: 'missing_line',
      message: `line "${line.lineId}" must have a price or be excluded`,
    }))
}
