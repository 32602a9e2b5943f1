import type { CommunityStarts } from '../../../client/contract.gen.ts'

const WIDTH = 480
const HEIGHT = 120
const FLOOR = 96

const MONTH_FORMAT = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' })
const LONG_MONTH_FORMAT = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'long', year: 'numeric' })

/** Shows construction starts by month. The last month is the current month. */
export function StartsChart({ of: months }: { of: readonly CommunityStarts[] }) {
  const max = Math.max(...months.map(({ starts }) => starts), 1)
  const step = WIDTH / months.length
  const said = months
    .map(({ month, starts }) => `${LONG_MONTH_FORMAT.format(new Date(`${month}T00:00:00Z`))} ${starts}`)
    .join(', ')
  return (
    <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Starts by month: ${said}`}>
      <path className="axis" d={`M0 ${FLOOR}.5H${WIDTH}`} />
      {months.map(({ month, starts }, at) => {
        const height = (starts / max) * (FLOOR - 18)
        const middle = at * step + step / 2
        return (
          <g key={month}>
            <rect className="c-bar" x={at * step + 6} width={step - 12} y={FLOOR - height} height={height} />
            {starts > 0 && (
              <text x={middle} y={FLOOR - height - 5} textAnchor="middle">
                {starts}
              </text>
            )}
            <text
              x={middle}
              y={FLOOR + 16}
              textAnchor="middle"
              className={at === months.length - 1 ? 'c-now' : undefined}
            >
              {MONTH_FORMAT.format(new Date(`${month}T00:00:00Z`))}
            </text>
          </g>
        )
      })}
    </svg>
  )
}
