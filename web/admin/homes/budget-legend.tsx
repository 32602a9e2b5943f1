/** Explains the parts of a budget bar. For screen readers, each bar contains its amounts as text. */
export function BudgetLegend() {
  return (
    <span className="legend" aria-hidden="true">
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <rect className="f-committed" y="2" width="16" height="8" />
        </svg>
        Committed
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <rect className="f-over" y="2" width="16" height="8" />
        </svg>
        Over budget
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <rect className="f-pending" y="2" width="16" height="8" />
        </svg>
        Pending
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <rect className="f-actual" y="4.5" width="16" height="3" />
        </svg>
        Actual
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <path className="s-plumb" d="M8 -2V6" />
          <path className="f-plumb" d="M5 5h6v2.5L8 13l-3-5.5z" />
        </svg>
        Budget
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <path className="s-forecast" d="M8 1.5l4.5 4.5L8 10.5 3.5 6z" />
        </svg>
        Forecast
      </span>
    </span>
  )
}
