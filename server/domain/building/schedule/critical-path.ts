import { type Activity, type Link, orderActivities } from './network.ts'

/** Position of an activity, in points between workdays. */
export interface Position {
  start: number
  finish: number
  /** The latest points that delay neither the end of the network nor a fixed activity. */
  lateStart: number
  lateFinish: number
  /** Workdays by which the activity can slip; negative if it is late for a fixed activity. */
  float: number
  /** The link that determines the start; null if the activity's own point does. */
  driver: Link | null
}

/**
 * Schedules the activities with a forward and a backward pass (critical path method). Returns a ring instead of
 * positions if the links contain one.
 */
export function computeCriticalPath(activities: readonly Activity[]): { positions: Position[] } | { ring: number[] } {
  const ordered = orderActivities(activities)
  if ('ring' in ordered) return ordered
  const positions = forwardPass(activities, ordered.places)
  backwardPass(activities, ordered.places, positions)
  return { positions }
}

function forwardPass(activities: readonly Activity[], places: readonly number[]): Position[] {
  const positions: Position[] = new Array(activities.length)
  for (const place of places) {
    const activity = activities[place] as Activity
    const { start, finish, driver } = earliestPosition(activity, positions)
    positions[place] = { start, finish, driver, lateStart: start, lateFinish: finish, float: 0 }
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
    const bound = (link.type === 'FS' || link.type === 'FF' ? from.finish : from.start) + link.lag
    const meetsFinish = link.type === 'FF' || link.type === 'SF'
    // Links can still delay the end of a started activity, but not its start.
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

/** Reduces the late finish of the link's predecessor so that it does not delay the activity. */
function limitLateFinish(
  { from, type, lag }: Link,
  activity: Activity,
  { lateStart, lateFinish }: Position,
  activities: readonly Activity[],
  positions: readonly Position[],
): void {
  const meetsStart = type === 'FS' || type === 'SS'
  const leavesStart = type === 'SS' || type === 'SF'
  // A start that is a fact neither has nor sets limits.
  if (meetsStart && activity.start === 'started') return
  if (leavesStart && hasBegun(activities[from])) return
  const predecessor = positions[from] as Position
  const bound = (meetsStart ? lateStart : lateFinish) - lag
  const latest = leavesStart ? bound + predecessor.finish - predecessor.start : bound
  if (latest < predecessor.lateFinish) predecessor.lateFinish = latest
}

function hasBegun(activity: Activity | undefined): boolean {
  return activity?.start === 'started' || activity?.start === 'done'
}
