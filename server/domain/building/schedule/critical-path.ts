import { type Activity, type Link, sortActivities } from './network.ts'

/** The position of an activity, in points between workdays. */
export interface Position {
  start: number
  finish: number
  /** For a started activity, the finish without its `earliestEnd`; absent if `earliestEnd` makes no difference. */
  plannedFinish?: number
  /** The latest points that do not delay the end of the network or a fixed activity. */
  lateStart: number
  lateFinish: number
  /** The number of workdays by which the activity can slip. Negative if the activity makes a fixed activity late. */
  float: number
  /** The link that determines the start; null if the start is determined by the activity itself. */
  driver: Link | null
}

/**
 * Schedules the activities with a forward and a backward pass (critical path method). If the links form a cycle,
 * returns the cycle as `ring` instead of positions.
 */
export function computeCriticalPath(activities: readonly Activity[]): { positions: Position[] } | { ring: number[] } {
  const ordered = sortActivities(activities)
  if ('ring' in ordered) return ordered
  const positions = forwardPass(activities, ordered.places)
  backwardPass(activities, ordered.places, positions)
  return { positions }
}

function forwardPass(activities: readonly Activity[], places: readonly number[]): Position[] {
  const positions: Position[] = new Array(activities.length)
  for (const place of places) {
    const activity = activities[place] as Activity
    const { start, finish: own, driver } = earliestPosition(activity, positions)
    const finish = Math.max(own, activity.start === 'started' ? (activity.earliestEnd ?? own) : own)
    positions[place] = { start, finish, driver, lateStart: start, lateFinish: finish, float: 0 }
    if (finish > own) positions[place].plannedFinish = own
  }
  return positions
}

function earliestPosition(
  activity: Activity,
  positions: readonly Position[],
): Pick<Position, 'start' | 'finish' | 'driver'> {
  const { start: how, duration, links } = activity
  const at = activity.at ?? Number.NEGATIVE_INFINITY
  if (how === 'done') return { start: at, finish: activity.end ?? at, driver: null }
  if (how === 'fixed' || how === 'held') return { start: at, finish: at + duration, driver: null }
  let start = at
  let finish = at + duration
  let driver: Link | null = null
  for (const link of links) {
    const from = positions[link.from] as Position
    const bound = getLinkedPoint(link, from) + link.lag
    const meetsFinish = link.type === 'FF' || link.type === 'SF'
    // Links cannot change the start of a started activity, but can delay its end.
    if (how === 'started') {
      if (meetsFinish && bound > finish) finish = bound
      continue
    }
    const earliest = meetsFinish ? bound - duration : bound
    if (earliest <= start) continue
    start = earliest
    finish = earliest + duration
    driver = link
  }
  return { start, finish, driver }
}

/** Returns the earliest point that the link allows, before adding its lag in workdays. */
function getLinkedPoint({ type, shift }: Link, from: Position): number {
  if (shift !== undefined) return shift.forward(from)
  return type === 'FS' || type === 'FF' ? from.finish : from.start
}

function backwardPass(activities: readonly Activity[], places: readonly number[], positions: Position[]): void {
  const end = positions.reduce((latest, { finish }) => Math.max(latest, finish), Number.NEGATIVE_INFINITY)
  for (const position of positions) position.lateFinish = end
  for (let i = places.length - 1; i >= 0; i--) {
    const place = places[i] as number
    const activity = activities[place] as Activity
    const position = positions[place] as Position
    if (activity.start === 'done') position.lateFinish = position.finish
    if (activity.start === 'fixed') position.lateFinish = Math.min(position.lateFinish, position.finish)
    position.lateStart = position.lateFinish - (position.finish - position.start)
    position.float = position.lateFinish - position.finish
    if (activity.start === 'done' || activity.start === 'held') continue
    for (const link of activity.links) limitLateFinish(link, activity, position, activities, positions)
  }
}

/** Reduces the late finish of the predecessor, so that the predecessor does not delay the activity. */
function limitLateFinish(
  { from, type, lag, shift }: Link,
  activity: Activity,
  { lateStart, lateFinish }: Position,
  activities: readonly Activity[],
  positions: readonly Position[],
): void {
  const meetsStart = type === 'FS' || type === 'SS'
  const leavesStart = type === 'SS' || type === 'SF'
  // A start that has already happened neither depends on predecessors nor limits them.
  if (meetsStart && activity.start === 'started') return
  if (leavesStart && hasBegun(activities[from])) return
  const predecessor = positions[from] as Position
  const point = (meetsStart ? lateStart : lateFinish) - lag
  const bound = shift === undefined ? point : shift.backward(point)
  const latest = leavesStart ? bound + predecessor.finish - predecessor.start : bound
  if (latest < predecessor.lateFinish) predecessor.lateFinish = latest
}

function hasBegun(activity: Activity | undefined): boolean {
  return activity?.start === 'started' || activity?.start === 'done'
}
