import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import {
  computeGanttFrame,
  type DrawnBar,
  type GanttBar,
  type GanttFrame,
  HEAD_HEIGHT,
  layOutBars,
  listMondays,
  listMonths,
  ROW_HEIGHT,
  toLinkPaths,
} from './gantt-frame.ts'

/**
 * Draws the schedule as bars over days, with the critical path and the dependencies. The list next to the chart is a
 * table with the same tasks and dates. Screen readers read this table, and only a label of the chart.
 */
export function Gantt(props: {
  bars: readonly GanttBar[]
  today: string
  /** Returns whether the date is not a workday. */
  isOff(date: string): boolean
  selected: string | null
  /** Returns the URL that selects a task. */
  toTask(taskId: string): string
}) {
  const { bars, today, isOff, selected, toTask } = props
  const { shortDay, day } = useFormats()
  const scroll = useRef<HTMLDivElement>(null)
  const frame = computeGanttFrame(bars, today)
  const drawn = layOutBars(bars, frame)
  const now = frame.x(today)
  const open = Math.max(
    bars.findIndex(({ look }) => look !== 'done'),
    0,
  )
  const critical = bars.filter(({ isCritical }) => isCritical).length

  // Scrolls past old tasks, because upcoming tasks matter more.
  useEffect(() => {
    scroll.current?.scrollTo({ left: Math.max(now - 8 * frame.dayWidth, 0), top: Math.max(open - 3, 0) * ROW_HEIGHT })
  }, [now, frame.dayWidth, open])

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
    // biome-ignore lint/a11y/useSemanticElements: a section would add another landmark within the panel's.
    <div className="gantt-wrap" tabIndex={0} role="region" aria-label="Gantt chart" ref={scroll}>
      <div className="gantt-list">
        <table>
          <caption className="sr">Tasks with their dates</caption>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col" className="num">
                Start
              </th>
              <th scope="col" className="num">
                End
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.taskId} className={bar.isCritical ? 'critical' : undefined}>
                <th scope="row" title={bar.name}>
                  <Link
                    to={toTask(bar.taskId)}
                    replace
                    preventScrollReset
                    aria-current={bar.taskId === selected ? 'true' : undefined}
                  >
                    {bar.name}
                  </Link>{' '}
                  {bar.look === 'late' && <span className="tone-bad">late</span>}
                  <span className="sr">{describeBar(bar)}</span>
                </th>
                <td className="num">{shortDay(bar.start)}</td>
                <td className="num">{shortDay(bar.end)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>
        <GanttHead frame={frame} now={now} />
        <svg
          className="gantt"
          width={frame.width}
          height={frame.height}
          viewBox={`0 0 ${frame.width} ${frame.height}`}
          role="img"
          aria-label={`Gantt chart of ${formatCount(bars.length, 'task')} from ${day(frame.first)} to ${day(frame.last)}. Tasks on the critical path: ${critical}`}
        >
          {bars.map(({ taskId }, row) =>
            row % 2 === 1 ? (
              <rect key={taskId} className="g-stripe" y={row * ROW_HEIGHT} width={frame.width} height={ROW_HEIGHT} />
            ) : null,
          )}
          {frame.days.filter(isOff).map((date) => (
            <rect key={date} className="g-off" x={frame.x(date)} width={frame.dayWidth} height={frame.height} />
          ))}
          {listMondays(frame).map(({ date }) => (
            <path key={date} className="g-week" d={`M${frame.x(date)} 0V${frame.height}`} />
          ))}
          {toLinkPaths(drawn).map(({ key, path, arrow, isCritical }) => (
            <g key={key}>
              <path className={isCritical ? 'g-dep-crit' : 'g-dep'} d={path} />
              <path className={isCritical ? 'g-arrow-crit' : 'g-arrow'} d={arrow} />
            </g>
          ))}
          {drawn.map((one) => (
            <BarShape key={one.taskId} {...one} />
          ))}
          <path className="s-plumb" d={`M${now} 0V${frame.height - 9}`} />
          <path className="f-plumb" d={`M${now - 3} ${frame.height - 10}h6v2.5l-3 6.5-3-6.5z`} />
        </svg>
      </div>
    </div>
  )
}

/** Draws the headings with months and weeks, which stay visible when the user scrolls down. */
function GanttHead({ frame, now }: { frame: GanttFrame; now: number }) {
  return (
    <svg className="gantt gantt-head" width={frame.width} height={HEAD_HEIGHT} aria-hidden="true">
      <rect className="g-head" width={frame.width} height={HEAD_HEIGHT} />
      {listMondays(frame).map(({ date, number }) => (
        <g key={date}>
          <path className="g-week" d={`M${frame.x(date)} 30V${HEAD_HEIGHT}`} />
          <text x={frame.x(date) + 3} y="39">
            {number}
          </text>
        </g>
      ))}
      {listMonths(frame).map(({ date, word }) => (
        <g key={date}>
          <path className="g-rule" d={`M${frame.x(date)} 0V${HEAD_HEIGHT}`} />
          <text className="g-label" x={frame.x(date) + 4} y="17">
            {word}
          </text>
        </g>
      ))}
      <path className="g-rule" d={`M0 ${HEAD_HEIGHT - 0.5}H${frame.width}`} />
      <path className="s-plumb" d={`M${now} 22V${HEAD_HEIGHT}`} />
      <text className="g-today" x={now + 5} y="28">
        Today
      </text>
    </svg>
  )
}

const FILLS = { done: 'g-done', running: 'g-run', late: 'g-late', critical: 'g-crit', plan: 'g-plan', moved: 'g-new' }

function BarShape({ x, width, y, look, isPoint, ghost, name }: DrawnBar) {
  const middle = y + ROW_HEIGHT / 2
  return (
    <g>
      <title>{name}</title>
      {ghost !== null && <rect className="g-ghost" x={ghost.x} y={y + 5} width={ghost.width} height={16} rx="2" />}
      {isPoint ? (
        <path className={look === 'late' ? 'g-late' : 'g-mile'} d={`M${x} ${middle - 6}l6 6-6 6-6-6z`} />
      ) : (
        <rect className={FILLS[look]} x={x} y={y + 7} width={width} height={12} rx="2" />
      )}
    </g>
  )
}

function describeBar({ look, isCritical }: GanttBar): string {
  const words = [
    ...(look === 'done' ? ['done'] : look === 'running' ? ['in progress'] : []),
    ...(isCritical ? ['on the critical path'] : []),
    ...(look === 'moved' ? ['moved by this delay'] : []),
  ]
  return words.length === 0 ? '' : `, ${words.join(', ')}`
}
