import { Table } from '../../ui/table.tsx'

export interface Bar {
  key: string
  name: string
  value: number
  /** The value as text, with its unit. */
  said: string
}

/** The maximum number of bars. A screen cannot show more. The table below the chart contains all rows. */
export const MAX_BARS = 30

/**
 * Draws one horizontal bar for each value. Bars start at a common zero line and extend to the right for positive values
 * and to the left for negative ones. Each bar has its name and value as text for screen readers.
 */
export function BarList({
  caption,
  nameHead,
  valueHead,
  bars,
}: {
  caption: string
  nameHead: string
  valueHead: string
  bars: readonly Bar[]
}) {
  const shown = bars.slice(0, MAX_BARS)
  const lowest = Math.min(0, ...shown.map(({ value }) => value))
  const highest = Math.max(0, ...shown.map(({ value }) => value))
  const range = highest - lowest || 1
  const toPercent = (amount: number) => `${((amount / range) * 100).toFixed(2)}%`
  return (
    <div className="bar-list">
      <Table
        caption={caption}
        rows={shown}
        keyOf={({ key }) => key}
        columns={[
          { head: nameHead, cell: ({ name }) => name },
          {
            head: 'Bar',
            className: 'bar-cell',
            cell: ({ value }) => (
              <svg className="bar-svg" aria-hidden="true">
                <rect
                  className={value < 0 ? 'f-over' : 'f-committed'}
                  x={toPercent(Math.min(0, value) - lowest)}
                  width={toPercent(Math.abs(value))}
                  y="5"
                  height="12"
                />
                <rect className="bar-zero" x={toPercent(-lowest)} y="1" width="1" height="20" />
              </svg>
            ),
          },
          { head: valueHead, numeric: true, cell: ({ said }) => said },
        ]}
      />
    </div>
  )
}
