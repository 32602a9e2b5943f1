import type { TaskLinkType } from '../../../client/contract.gen.ts'

/** A task as the chart shows it. */
export interface Bar {
  taskId: string
  name: string
  start: string
  /** The last day, inclusive. */
  end: string
  look: 'done' | 'running' | 'late' | 'critical' | 'plan' | 'moved'
  isCritical: boolean
  /** Whether it is an inspection or a milestone: a point rather than a span. */
  isPoint: boolean
  predecessors: readonly { taskId: string; type: TaskLinkType }[]
  /** The dates before the delay that is being tried. */
  before: { start: string; end: string } | null
}

/** The positions of days and rows. */
export interface Frame {
  readonly first: string
  readonly last: string
  readonly days: readonly string[]
  readonly dayWidth: number
  readonly width: number
  readonly height: number
  x(date: string): number
}

/** A bar with its position. */
export interface Drawn extends Bar {
  x: number
  width: number
  y: number
  ghost: { x: number; width: number } | null
}

export const HEAD = 44
export const ROW = 26

const DAY_MS = 86_400_000
/** Pixels per day: the minimum to tell days apart. A short schedule is stretched to fill the page. */
const DAY_WIDTH = 6.8
const WIDEST_DAY = 26
const SHEET = 856
/** Keeps the last bar and its label away from the edge. */
const ROOM_DAYS = 4

const number = (date: string) => Date.parse(`${date}T00:00:00Z`) / DAY_MS
const dateOf = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

export function frameOf(bars: readonly Bar[], today: string): Frame {
  const starts = bars.flatMap(({ start, before }) => [start, ...(before === null ? [] : [before.start])])
  const ends = bars.flatMap(({ end, before }) => [end, ...(before === null ? [] : [before.end])])
  const first = [...starts, today].reduce((least, date) => (date < least ? date : least))
  const last = [...ends, today].reduce((most, date) => (date > most ? date : most))
  const from = number(first)
  const count = number(last) - from + 1 + ROOM_DAYS
  const dayWidth = Math.min(Math.max(DAY_WIDTH, SHEET / count), WIDEST_DAY)
  return {
    ...{ first, last, dayWidth },
    days: Array.from({ length: count }, (_, at) => dateOf(from + at)),
    width: Math.round(count * dayWidth),
    height: bars.length * ROW + 12,
    x: (date) => round((number(date) - from) * dayWidth),
  }
}

export function barsOf(bars: readonly Bar[], frame: Frame): Drawn[] {
  const span = (start: string, end: string) => ({
    x: frame.x(start),
    width: round(Math.max(frame.x(end) - frame.x(start) + frame.dayWidth, 3)),
  })
  return bars.map((bar, row) => ({
    ...bar,
    ...span(bar.start, latest(bar.start, bar.end)),
    y: row * ROW,
    ghost: bar.before === null ? null : span(bar.before.start, bar.before.end),
  }))
}

/**
 * Returns the paths of the dependency arrows, from the end (or start) of a predecessor to the start (or end) of its
 * successor.
 */
export function linksOf(drawn: readonly Drawn[]) {
  const byId = new Map(drawn.map((bar) => [bar.taskId, bar]))
  return drawn.flatMap((to) =>
    to.predecessors.flatMap(({ taskId, type }) => {
      const from = byId.get(taskId)
      if (from === undefined) return []
      const fromX = round(from.isPoint ? from.x + 6 : type.startsWith('F') ? from.x + from.width : from.x)
      const toX = round(to.isPoint ? to.x : type.endsWith('S') ? to.x + 2 : to.x + to.width - 2)
      const isDown = to.y > from.y
      const start = from.y + ROW / 2
      const end = isDown ? to.y + 6 : to.y + ROW - 6
      const bend = isDown ? to.y + 1 : to.y + ROW - 1
      const head = isDown ? `l-2.5 -4h5z` : `l-2.5 4h5z`
      return [
        {
          key: `${taskId} ${type} ${to.taskId}`,
          path: `M${fromX} ${start}H${round(fromX + 3)}V${bend}H${toX}V${end}`,
          arrow: `M${toX} ${end}${head}`,
          isCritical: from.isCritical && to.isCritical,
        },
      ]
    }),
  )
}

export function weeksIn({ days }: Frame): { date: string; number: number }[] {
  return days
    .filter((date) => new Date(`${date}T00:00:00Z`).getUTCDay() === 1)
    .map((date) => ({ date, number: Number(date.slice(8)) }))
}

const MONTH = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short', year: 'numeric' })

export function monthsIn({ days }: Frame): { date: string; word: string }[] {
  return days
    .filter((date, at) => (at === 0 && Number(date.slice(8)) < 24) || date.endsWith('-01'))
    .map((date) => ({ date, word: MONTH.format(new Date(`${date}T00:00:00Z`)) }))
}

function latest(one: string, other: string): string {
  return one.localeCompare(other) > 0 ? one : other
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
