const LEGEND_PARTS = [
  { fill: 'g-done', word: 'Done' },
  { fill: 'g-run', word: 'In progress' },
  { fill: 'g-crit', word: 'Critical path' },
  { fill: 'g-plan', word: 'Has float' },
  { fill: 'g-late', word: 'Late' },
] as const

/** Explains the bars of the chart. Screen readers use a table instead of the chart. */
export function GanttLegend({ isTried, isBaselineShown }: { isTried: boolean; isBaselineShown: boolean }) {
  return (
    <span className="legend" aria-hidden="true">
      {LEGEND_PARTS.map(({ fill, word }) => (
        <span key={word}>
          <svg viewBox="0 0 16 12" aria-hidden="true">
            <rect className={fill} x=".5" y="2.5" width="15" height="7" rx="2" />
          </svg>
          {word}
        </span>
      ))}
      {isTried && (
        <span>
          <svg viewBox="0 0 16 12" aria-hidden="true">
            <rect className="g-new" y="2" width="16" height="8" rx="2" />
          </svg>
          Moved
        </span>
      )}
      {(isTried || isBaselineShown) && (
        <span>
          <svg viewBox="0 0 16 12" aria-hidden="true">
            <rect className="g-ghost" x=".5" y="1.5" width="15" height="9" rx="2" />
          </svg>
          {[...(isTried ? ['Before the delay'] : []), ...(isBaselineShown ? ['Baseline'] : [])].join(', ')}
        </span>
      )}
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <path className="g-mile" d="M8 0l6 6-6 6-6-6z" />
        </svg>
        Inspection
      </span>
    </span>
  )
}
