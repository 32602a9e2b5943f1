import type { BidLine, BidRequest, FieldError } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { invalid } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import { amountText, isMoney, lineTotal, MOST_MONEY, sum } from '../../../platform/values/money.ts'

interface Priced {
  amount: number
  lines: BidLine[]
}

type Form = Pick<BidRequest, 'lines' | 'bidType'>
type Line = Checked['BidLineInput']

/**
 * Checks the prices of a bid against the request's form, and sums them. Throws all errors at once. An amount that
 * contradicts the lines is an error, because one of the two must be a mistake.
 */
export function priced(
  form: Form,
  { lines, amount }: { lines: readonly Line[]; amount: number | undefined },
  currency: string,
): Priced {
  const faults: FieldError[] = []
  const whole = wholeLines(form, lines, faults, currency)
  faults.push(...missingLines(form, whole))
  if (faults.length > 0) throw invalid(faults)

  if (whole.length === 0) {
    if (amount === undefined)
      throw invalid([{ pointer: '/amount', code: 'required', message: 'is required unless lines is set' }])
    return { amount, lines: [] }
  }
  const amounts = whole.flatMap((line) => line.amount ?? [])
  const total = sum(amounts)
  if (amounts.length === 0)
    faults.push({ pointer: '/lines', code: 'priced', message: 'must have at least one line with a price' })
  else if (total < 0 || !isMoney(total))
    faults.push({ pointer: '/lines', code: 'sum', message: `must total between 0 and ${formatNumber(MOST_MONEY)}` })
  else if (amount !== undefined && amount !== total) {
    faults.push({
      pointer: '/amount',
      code: 'sum',
      message: `must equal the sum of the lines (${amountText(total, currency)}) or be omitted`,
    })
  }
  if (faults.length > 0) throw invalid(faults)
  return { amount: total, lines: whole }
}

/** Returns the lines with their names from the request and their computed amounts. */
function wholeLines(form: Form, lines: readonly Line[], faults: FieldError[], currency: string): BidLine[] {
  const asked = new Map(form.lines.map((line) => [line.lineId, line]))
  const taken = new Set([...asked.keys(), ...lines.flatMap((line) => line.lineId ?? [])])
  const seen = new Set<string>()
  return lines.map((line, i) => {
    const at = (field: string, code: string, message: string) =>
      faults.push({ pointer: `/lines/${i}/${field}`, code, message })
    const { excluded, alternate, note = null, unitPrice } = line
    const same = line.lineId === undefined ? undefined : asked.get(line.lineId)
    if (line.lineId !== undefined) {
      if (asked.size > 0 && same === undefined)
        at('lineId', 'unknown_line', 'is not a line of the bid request; omit it for an additional line')
      if (seen.has(line.lineId)) at('lineId', 'unique', 'must be unique; another line has the same lineId')
      seen.add(line.lineId)
    }
    const description = line.description ?? same?.description
    if (description === undefined)
      at('description', 'required', 'is required unless the bid request has a line with this lineId')
    if (excluded && unitPrice !== undefined) at('unitPrice', 'excluded', 'must be omitted when excluded is true')
    if (!excluded && unitPrice === undefined) at('unitPrice', 'required', 'is required unless excluded is true')

    const quantity = line.quantity ?? same?.quantity ?? 1
    const amount = unitPrice === undefined ? null : lineTotal(quantity, unitPrice, currency)
    if (amount !== null && !isMoney(amount))
      at(
        'unitPrice',
        'maximum',
        `times quantity must be between -${formatNumber(MOST_MONEY)} and ${formatNumber(MOST_MONEY)}`,
      )
    return {
      lineId: line.lineId ?? freeName(asked.size > 0 ? 'extra' : 'line', taken),
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

function freeName(word: string, taken: Set<string>): string {
  let place = 1
  while (taken.has(`${word}-${place}`)) place++
  taken.add(`${word}-${place}`)
  return `${word}-${place}`
}

/** Returns an error for each required line that is missing, if the form asks for a price of each line. */
function missingLines(form: Form, lines: readonly BidLine[]): FieldError[] {
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
