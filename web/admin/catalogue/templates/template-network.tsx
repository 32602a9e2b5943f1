import type { ReactNode } from 'react'
import type { TaskKind, TaskLinkType } from '../../../../client/contract.gen.ts'
import type { ScheduledRow } from '../../../../server/domain/building/schedule/schedule-template.ts'
import { formatCount } from '../../../ui/text-formats.ts'
import { HEAD_HEIGHT, type LinkedBar, ROW_HEIGHT, toLinkPaths } from '../../homes/gantt-frame.ts'

/** A row of a template in the network. */
export interface NetworkRow {
  key: string
  name: string
  taskKind: TaskKind
  schedule: ScheduledRow
  links: readonly { to: string; type: TaskLinkType }[]
}

/** The width of the chart on a wide screen. A short template is stretched to fill it. */
const SHEET_WIDTH = 856
/** With fewer pixels, days cannot be distinguished. With more, bars become too long to compare. */
const [MIN_DAY_WIDTH, MAX_DAY_WIDTH] = [6.8, 26]
/** The number of empty days at the end, which keep the last bar away from the edge. */
const PADDING_DAYS = 2
const WEEK = 5

/**
 * Draws the rows as bars over workdays, at their earliest positions, with arrows from each predecessor to the rows that
 * wait for it. The list next to the chart is a table with the same days, which screen readers read.
 */
export function TemplateNetwork(props: {
  rows: readonly NetworkRow[]
  workdays: number
  selected: string | null
  /** Shows the name of a row, usually as a control that selects the row. */
  renderName(row: NetworkRow): ReactNode
}) {
  const { workdays, selected, renderName } = props
  // Rows that start on the same day keep their order.
  const rows = props.rows.toSorted((a, b) => a.schedule.start - b.schedule.start)
  const days = workdays + PADDING_DAYS
  const dayWidth = Math.min(Math.max(MIN_DAY_WIDTH, SHEET_WIDTH / days), MAX_DAY_WIDTH)
  const x = (day: number) => Math.round(day * dayWidth * 10) / 10
  const width = Math.round(days * dayWidth)
  const height = rows.length * ROW_HEIGHT + 12
  const weeks = Array.from({ length: Math.ceil(days / WEEK) }, (_, at) => at)
  const bars = rows.map(({ key, taskKind, schedule: { start, end, isCritical }, links }, row): LinkedBar => {
    const isPoint = taskKind === 'inspection' || start === end
    return {
      ...{ taskId: key, isCritical, isPoint, y: row * ROW_HEIGHT },
      ...{ x: x(start), width: Math.max(x(end) - x(start), 3) },
      predecessors: links.map(({ to, type }) => ({ taskId: to, type })),
    }
  })
  const critical = rows.filter(({ schedule }) => schedule.isCritical).length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
    // biome-ignore lint/a11y/useSemanticElements: a section would add another landmark within the panel's.
    <div className="gantt-wrap" tabIndex={0} role="region" aria-label="Network of the tasks">
      <div className="gantt-list">
        <table>
          <caption className="sr">Tasks with their first days and their lengths in workdays</caption>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col" className="num">
                Day
              </th>
              <th scope="col" className="num">
                Length
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key} className={row.schedule.isCritical ? 'critical' : undefined}>
                <th scope="row" title={row.name}>
                  {renderName(row)}
                  {row.schedule.isCritical && <span className="sr">, on the critical path</span>}
                </th>
                <td className="num">{getFirstDay(row.schedule)}</td>
                <td className="num">{row.schedule.end - row.schedule.start}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div>
        <svg className="gantt gantt-head" width={width} height={HEAD_HEIGHT} aria-hidden="true">
          <rect className="g-head" width={width} height={HEAD_HEIGHT} />
          <text className="g-label" x="4" y="17">
            Week
          </text>
          {weeks.map((week) => (
            <g key={week}>
              <path className="g-week" d={`M${x(week * WEEK)} 30V${HEAD_HEIGHT}`} />
              <text x={x(week * WEEK) + 3} y="39">
                {week + 1}
              </text>
            </g>
          ))}
          <path className="g-rule" d={`M0 ${HEAD_HEIGHT - 0.5}H${width}`} />
        </svg>
        <svg
          className="gantt"
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={`Network of ${formatCount(rows.length, 'task')} over ${formatCount(workdays, 'workday')}. Tasks on the critical path: ${critical}`}
        >
          {rows.map(({ key }, row) =>
            row % 2 === 1 ? (
              <rect key={key} className="g-stripe" y={row * ROW_HEIGHT} width={width} height={ROW_HEIGHT} />
            ) : null,
          )}
          {weeks.map((week) => (
            <path key={week} className="g-week" d={`M${x(week * WEEK)} 0V${height}`} />
          ))}
          {toLinkPaths(bars).map(({ key, path, arrow, isCritical, fromId, toId }) => {
            const isSelected = selected !== null && (fromId === selected || toId === selected)
            const end = isSelected ? '-sel' : isCritical ? '-crit' : ''
            return (
              <g key={key}>
                <path className={`g-dep${end}`} d={path} />
                <path className={`g-arrow${end}`} d={arrow} />
              </g>
            )
          })}
          {bars.map((bar, at) => (
            <RowShape key={bar.taskId} bar={bar} name={rows[at]?.name ?? ''} />
          ))}
        </svg>
      </div>
    </div>
  )
}

/** Returns the number of the first day of a row. A milestone at the end of a day is on this day. */
export function getFirstDay({ start, end }: ScheduledRow): number {
  return start === end ? Math.max(start, 1) : start + 1
}

function RowShape({ bar: { x, y, width, isPoint, isCritical }, name }: { bar: LinkedBar; name: string }) {
  const middle = y + ROW_HEIGHT / 2
  return (
    <g>
      <title>{name}</title>
      {isPoint ? (
        <path className="g-mile" d={`M${x} ${middle - 6}l6 6-6 6-6-6z`} />
      ) : (
        <rect className={isCritical ? 'g-crit' : 'g-plan'} x={x} y={y + 7} width={width} height={12} rx="2" />
      )}
    </g>
  )
}

/** Explains the shapes of the network. Screen readers use a table instead of the chart. */
export function NetworkLegend() {
  return (
    <span className="legend" aria-hidden="true">
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <rect className="g-crit" x=".5" y="2.5" width="15" height="7" rx="2" />
        </svg>
        Critical path
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <rect className="g-plan" x=".5" y="2.5" width="15" height="7" rx="2" />
        </svg>
        Has float
      </span>
      <span>
        <svg viewBox="0 0 16 12" aria-hidden="true">
          <path className="g-mile" d="M8 0l6 6-6 6-6-6z" />
        </svg>
        Inspection or milestone
      </span>
    </span>
  )
}
