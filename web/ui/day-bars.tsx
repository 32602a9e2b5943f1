import { useFormats } from './use-formats.ts'

export interface DayBar {
  date: string
  /** Successful requests. */
  count: number
  /** The number of rejected or failed requests, which are drawn at the top of the bar. */
  bad: number
}

const WIDTH = 1080
const LEFT = 48
const TOP = 26
const BOTTOM = 150
const HEIGHT = 176
/** The maximum number of date labels that fit side by side. */
const MAX_LABELS = 31

/**
 * Draws a bar for each day, with the failed part in red at the top, and a line for the limit if it is near. Screen
 * readers get the data as a table.
 */
export function DayBars(props: {
  label: string
  days: readonly DayBar[]
  limit?: { value: number; word: string }
  words: readonly [count: string, bad: string]
}) {
  const { label, days, limit, words } = props
  const { day, shortDay } = useFormats()
  const highest = Math.max(1, ...days.map(({ count, bad }) => count + bad))
  // A line far above the bars would flatten them, so a distant limit is only mentioned in words.
  const isLimitNear = limit !== undefined && limit.value <= highest * 4
  const max = roundUpScale(isLimitNear ? Math.max(highest, limit.value) : highest)
  const y = (value: number) => BOTTOM - (value / max) * (BOTTOM - TOP)
  const step = (WIDTH - LEFT) / days.length
  const width = Math.min(44, step * 0.7)
  const every = Math.ceil(days.length / MAX_LABELS) * (days.length > MAX_LABELS ? 2 : 1)
  const last = days.length - 1
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it. */}
      <section className="scroll-x from-end" tabIndex={0} aria-label={`${label}, chart`}>
        <svg className="chart days" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          <path className="grid" d={`M${LEFT} ${y(max)}H${WIDTH}M${LEFT} ${y(max / 2)}H${WIDTH}`} />
          <path className="axis" d={`M${LEFT} ${BOTTOM + 0.5}H${WIDTH}`} />
          {[max, max / 2, 0].map((value) => (
            <text key={value} x={LEFT - 8} y={y(value) + 4} textAnchor="end">
              {value.toLocaleString('en-US')}
            </text>
          ))}
          {isLimitNear && (
            <>
              <path className="s-plumb" strokeDasharray="5 3" d={`M${LEFT} ${y(limit.value)}H${WIDTH}`} />
              <text className="c-now" x={WIDTH} y={y(limit.value) - 6} textAnchor="end">
                {limit.word}
              </text>
            </>
          )}
          {days.map(({ date, count, bad }, at) => {
            const x = LEFT + at * step + (step - width) / 2
            return (
              <g key={date}>
                <title>{`${day(date)}: ${count.toLocaleString('en-US')} ${words[0]}, ${bad.toLocaleString('en-US')} ${words[1]}`}</title>
                <rect
                  className={at === last ? 'c-soft' : 'f-committed'}
                  {...{ x, width, y: y(count), height: BOTTOM - y(count) }}
                />
                {bad > 0 && <rect className="c-bad" {...{ x, width, y: y(count + bad), height: y(0) - y(bad) }} />}
                {(last - at) % every === 0 && (
                  <text className={at === last ? 'c-now' : undefined} x={x + width / 2} y={168} textAnchor="middle">
                    {days.length > 14 && every === 1 ? Number(date.slice(8)) : shortDay(date)}
                  </text>
                )}
              </g>
            )
          })}
        </svg>
      </section>
      <table className="sr">
        <caption>{label}</caption>
        <thead>
          <tr>
            {['Day', ...words].map((head) => (
              <th scope="col" key={head}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map(({ date, count, bad }) => (
            <tr key={date}>
              <th scope="row">{day(date)}</th>
              <td>{count}</td>
              <td>{bad}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** Rounds up to 2, 4, 10, 20, 40, 100, and so on. Half of each of these numbers is also a whole number. */
function roundUpScale(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value))
  return Math.max(2, [1, 2, 4, 10].map((step) => step * scale).find((step) => step >= value) ?? value)
}
