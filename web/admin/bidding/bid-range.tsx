import type { BidComparison } from '../../../client/contract.gen.ts'
import { useFormats } from '../../ui/use-formats.ts'

const ROW = 30
const TOP = 22
const AXIS = 30

/** Shows the leveled bids on a scale from lowest to highest, and the budget as a vertical line. */
export function BidRange({ comparison }: { comparison: BidComparison }) {
  const { money } = useFormats()
  const bids = comparison.vendors.flatMap(({ bidId, leveledAmount: amount, companyName }) =>
    bidId === null || amount === null ? [] : [{ bidId, amount, companyName }],
  )
  const { budgeted } = comparison
  const amounts = [...bids.map(({ amount }) => amount), ...(budgeted === null ? [] : [budgeted])]
  const ticks = computeTicks(Math.min(...amounts), Math.max(...amounts))
  const [first = 0, last = 1] = [ticks[0], ticks.at(-1)]
  const at = (amount: number) => `${(((amount - first) / (last - first)) * 100).toFixed(2)}%`
  const isRight = (amount: number) => amount > (first + last) / 2
  const bottom = TOP + bids.length * ROW
  const said = [
    ...bids.map(({ companyName, amount }) => `${companyName} ${money(amount)}`),
    ...(budgeted === null ? [] : [`budget ${money(budgeted)}`]),
  ]
  return (
    <svg className="chart range" height={bottom + AXIS} role="img" aria-label={said.join(', ')}>
      {ticks.map((tick, place) => (
        <svg key={tick} x={at(tick)} overflow="visible" aria-hidden="true">
          <path className="grid" d={`M0 8v${bottom - 8}`} />
          <text y={bottom + 18} textAnchor={place === 0 ? 'start' : tick === last ? 'end' : 'middle'}>
            {formatShortAmount(tick)}
          </text>
        </svg>
      ))}
      <line className="axis" y1={bottom} y2={bottom} x2="100%" />
      {bids.map(({ bidId, amount, companyName }, row) => (
        <svg key={bidId} x={at(amount)} y={TOP + row * ROW} overflow="visible" aria-hidden="true">
          <circle className="c-bar" cy={10} r={5} />
          <text x={isRight(amount) ? -11 : 11} y={14} textAnchor={isRight(amount) ? 'end' : 'start'}>
            {companyName.length > 28 ? `${companyName.slice(0, 27)}…` : companyName} {formatShortAmount(amount)}
          </text>
        </svg>
      ))}
      {budgeted !== null && (
        <svg x={at(budgeted)} overflow="visible" aria-hidden="true">
          <path className="s-plumb" d={`M0 4V${bottom - 7}`} />
          <path className="f-plumb" d={`M-3 ${bottom - 8}h6v2.5L0 ${bottom}l-3-5.5z`} />
          <text
            className="c-now"
            x={isRight(budgeted) ? -7 : 7}
            y={14}
            textAnchor={isRight(budgeted) ? 'end' : 'start'}
          >
            Budget {formatShortAmount(budgeted)}
          </text>
        </svg>
      )}
    </svg>
  )
}

const MAX_TICKS = 6

/** Returns round amounts for the scale, few enough to be readable on a phone. */
export function computeTicks(low: number, high: number): number[] {
  const width = Math.max(high - low, Math.abs(high) * 0.02, 1)
  const power = 10 ** Math.floor(Math.log10(width / MAX_TICKS))
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => width / size <= MAX_TICKS - 2) ?? 10 * power
  const first = Math.floor((low - width * 0.08) / step) * step
  const last = Math.ceil((high + width * 0.08) / step) * step
  return Array.from({ length: Math.round((last - first) / step) + 1 }, (_, tick) => first + tick * step)
}

function formatShortAmount(amount: number): string {
  return Math.abs(amount) < 10_000
    ? amount.toLocaleString('en-US', { maximumFractionDigits: 0 })
    : `${(amount / 1000).toLocaleString('en-US', { maximumFractionDigits: 1 })}k`
}
