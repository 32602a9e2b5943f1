import type { TaskLinkType } from '../../../client/contract.gen.ts'

/** A task in the chart. */
export interface GanttBar {
  taskId: string
  name: string
  start: string
  /** The last day of the task. */
  end: string
  look: 'done' | 'running' | 'late' | 'critical' | 'plan' | 'moved'
  isCritical: boolean
  /** Whether the task is an inspection or a milestone. The chart shows these as points instead of bars. */
  isPoint: boolean
  predecessors: readonly { taskId: string; type: TaskLinkType }[]
  /** The dates before the simulated delay, or those of the baseline. */
  before: { start: string; end: string } | null
}

/** The positions of days and rows in the chart. */
export interface GanttFrame {
  readonly first: string
  readonly last: string
  readonly days: readonly string[]
  readonly dayWidth: number
  readonly width: number
  readonly height: number
  x(date: string): number
}

/** A bar with its position. */
export interface DrawnBar extends GanttBar {
  x: number
  width: number
  y: number
  ghost: { x: number; width: number } | null
}

export const HEAD_HEIGHT = 44
export const ROW_HEIGHT = 26

const DAY_MS = 86_400_000
/**
 * The minimum number of pixels for a day. With fewer, days cannot be distinguished. A short schedule is stretched to
 * fill the page.
 */
const DAY_WIDTH = 6.8
const MAX_DAY_WIDTH = 26
const SHEET_WIDTH = 856
/** The number of empty days at the end of the chart, which keep the last bar and its label away from the edge. */
const PADDING_DAYS = 4

const toDayNumber = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY_MS
const toDate = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

export function computeGanttFrame(bars: readonly GanttBar[], today: string): GanttFrame {
  const starts = bars.flatMap(({ start, before }) => [start, ...(before === null ? [] : [before.start])])
  const ends = bars.flatMap(({ end, before }) => [end, ...(before === null ? [] : [before.end])])
  const first = [...starts, today].reduce((min, date) => (date < min ? date : min))
  const last = [...ends, today].reduce((max, date) => (date > max ? date : max))
  const from = toDayNumber(first)
  const count = toDayNumber(last) - from + 1 + PADDING_DAYS
  const dayWidth = Math.min(Math.max(DAY_WIDTH, SHEET_WIDTH / count), MAX_DAY_WIDTH)
  return {
    ...{ first, last, dayWidth },
    days: Array.from({ length: count }, (_, at) => toDate(from + at)),
    width: Math.round(count * dayWidth),
    height: bars.length * ROW_HEIGHT + 12,
    x: (date) => round((toDayNumber(date) - from) * dayWidth),
  }
}

export function layOutBars(bars: readonly GanttBar[], frame: GanttFrame): DrawnBar[] {
  const span = (start: string, end: string) => ({
    x: frame.x(start),
    width: round(Math.max(frame.x(end) - frame.x(start) + frame.dayWidth, 3)),
  })
  return bars.map((bar, row) => ({
    ...bar,
    ...span(bar.start, maxDate(bar.start, bar.end)),
    y: row * ROW_HEIGHT,
    ghost: bar.before === null ? null : span(bar.before.start, bar.before.end),
  }))
}

/** The fields of a bar that dependency arrows need. */
export type LinkedBar = Pick<DrawnBar, 'taskId' | 'x' | 'width' | 'y' | 'isPoint' | 'isCritical' | 'predecessors'>

/**
 * Returns the paths of the dependency arrows. An arrow connects the end or start of a predecessor with the start or end
 * of its successor.
 */
export function toLinkPaths(drawn: readonly LinkedBar[]) {
  const byId = new Map(drawn.map((bar) => [bar.taskId, bar]))
  return drawn.flatMap((to) =>
    to.predecessors.flatMap(({ taskId, type }) => {
      const from = byId.get(taskId)
      if (from === undefined) return []
      const fromX = round(from.isPoint ? from.x + 6 : type.startsWith('F') ? from.x + from.width : from.x)
      const toX = round(to.isPoint ? to.x : type.endsWith('S') ? to.x + 2 : to.x + to.width - 2)
      const isDown = to.y > from.y
      const start = from.y + ROW_HEIGHT / 2
      const end = isDown ? to.y + 6 : to.y + ROW_HEIGHT - 6
      const bend = isDown ? to.y + 1 : to.y + ROW_HEIGHT - 1
      const head = isDown ? `l-2.5 -4h5z` : `l-2.5 4h5z`
      return [
        {
          key: `${taskId} ${type} ${to.taskId}`,
          ...{ fromId: taskId, toId: to.taskId },
          path: `M${fromX} ${start}H${round(fromX + 3)}V${bend}H${toX}V${end}`,
          arrow: `M${toX} ${end}${head}`,
          isCritical: from.isCritical && to.isCritical,
        },
      ]
    }),
  )
}

export function listMondays({ days }: GanttFrame): { date: string; number: number }[] {
  return days
    .filter((date) => new Date(`${date}T00:00:00Z`).getUTCDay() === 1)
    .map((date) => ({ date, number: Number(date.slice(8)) }))
}

const MONTH_FORMAT = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', year: 'numeric' })

export function listMonths({ days }: GanttFrame): { date: string; word: string }[] {
  return days
    .filter((date, at) => (at === 0 && Number(date.slice(8)) < 24) || date.endsWith('-01'))
    .map((date) => ({ date, word: MONTH_FORMAT.format(new Date(`${date}T00:00:00Z`)) }))
}

function maxDate(one: string, other: string): string {
  return one.localeCompare(other) > 0 ? one : other
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
