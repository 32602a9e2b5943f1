import { useFormats } from './use-formats.ts'

export interface BudgetBarProps {
  label: string
  budgeted: number
  /** The total of the approved orders. */
  committed: number
  /** The total of the orders that await approval. */
  pending: number
  /** The cost of the work done, whether paid or not. It is drawn inside the other amounts. */
  actual: number
  /** The forecast at completion; null if it is unknown. */
  forecast?: number | null
  /** The amount at the right end of the bar. Needed if several bars share a scale. */
  scale?: number
}

/** The position of the budget on a bar with its own scale. It leaves room for amounts above the budget. */
const BUDGET_POSITION = 0.84

/**
 * Draws amounts in comparison with a budget. The committed amount is solid, the pending amount is hatched, and the
 * actual amount is drawn inside both. An overrun is red, a diamond marks the forecast, and a vertical line marks the
 * budget.
 */
export function BudgetBar({ label, budgeted, committed, pending, actual, forecast = null, scale }: BudgetBarProps) {
  const { money } = useFormats()
  const max = Math.max(budgeted, committed + pending, actual, forecast ?? 0)
  const whole = scale ?? Math.max(budgeted / BUDGET_POSITION, max * 1.04, 1)
  const at = (amount: number) => `${((Math.min(Math.max(amount, 0), whole) / whole) * 100).toFixed(2)}%`
  const within = (from: number, to: number) => ({ x: at(from), width: at(Math.max(to - from, 0)) })
  const used = committed + pending
  const said = [
    ...[`${label}: ${money(committed)} committed`, pending > 0 ? ` and ${money(pending)} pending` : ''],
    ...[` of ${money(budgeted)} budgeted`, forecast === null ? '' : `, forecast ${money(forecast)}`],
  ].join('')
  return (
    <svg className="bar-svg" role="img" aria-label={said}>
      <rect className="f-track" y="6" width={at(budgeted)} height="10" />
      <rect className="f-committed" y="6" height="10" {...within(0, Math.min(committed, budgeted))} />
      {committed > budgeted && <rect className="f-over" y="6" height="10" {...within(budgeted, committed)} />}
      {pending > 0 && committed < budgeted && (
        <rect className="f-pending" y="6" height="10" {...within(committed, Math.min(used, budgeted))} />
      )}
      {pending > 0 && used > budgeted && (
        <rect className="f-pending-over" y="6" height="10" {...within(Math.max(budgeted, committed), used)} />
      )}
      {actual > 0 && <rect className="f-actual" y="9.5" height="3" {...within(0, actual)} />}
      <svg x={at(budgeted)} overflow="visible" aria-hidden="true">
        <path className="s-plumb" d="M0 1V15" />
        <path className="f-plumb" d="M-3 14h6v2.5L0 22l-3-5.5z" />
      </svg>
      {forecast !== null && Math.abs(forecast - budgeted) > whole * 0.005 && (
        <svg x={at(forecast)} overflow="visible" aria-hidden="true">
          <path className="s-forecast" d="M0 6.5l4.5 4.5L0 15.5 -4.5 11z" />
        </svg>
      )}
    </svg>
  )
}

/** Defines the hatching of pending amounts. Must be rendered once on each page. */
export function BarPatterns() {
  return (
    <svg className="patterns" width="0" height="0" aria-hidden="true">
      <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch-a" width="5" height="5" />
        <path className="hatch-b" d="M1.2 0v5" />
      </pattern>
      <pattern id="hatch-over" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch-c" width="5" height="5" />
        <path className="hatch-d" d="M1.2 0v5" />
      </pattern>
    </svg>
  )
}
