/**
 * A network of activities and the links between them, in workdays without dates. Positions in time are points between
 * workdays. For example, an activity of 2 workdays that starts at point 3 uses workdays 3 and 4 and ends at point 5,
 * where the next activity can start. An activity of 0 workdays is a single point.
 */
export type LinkType = 'FS' | 'SS' | 'FF' | 'SF'

/** The type of a link: finish to start, start to start, finish to finish, or start to finish. */
export interface Link {
  /** The index of the predecessor in the list of activities. */
  from: number
  type: LinkType
  /** The number of workdays between the two points; negative for an overlap. */
  lag: number
  /** The part of the lag that is not measured in workdays; absent if there is none. */
  shift?: LinkShift
}

/**
 * A lag that is not measured in workdays, such as a number of calendar days. This lag is added before the lag in
 * workdays.
 */
export interface LinkShift {
  /** Returns the earliest point for the successor. */
  forward(predecessor: { start: number; finish: number; driver: Link | null }): number
  /** Returns the latest point of the predecessor for which `forward` returns at most `point`. */
  backward(point: number): number
}

/**
 * How an activity gets its start:
 * - `open` follows its links.
 * - `fixed` starts at its point regardless of its predecessors, which are late if they end after it.
 * - `held` starts at its point too, but does not make its predecessors late.
 * - `started` and `done` are facts.
 */
export type StartRule = 'open' | 'fixed' | 'held' | 'started' | 'done'

export interface Activity {
  start: StartRule
  duration: number
  /** The start point. For an open activity, the earliest possible start point. */
  at: number | null
  /** The point at which a done activity ended; null for other activities. */
  end: number | null
  /** The earliest point at which a started activity can end; null if there is no such limit. */
  earliestEnd?: number | null
  links: readonly Link[]
}

/**
 * Returns the indexes of all activities, with predecessors before successors. If activities form a cycle, returns the
 * cycle as `ring`: each activity in it waits for the next.
 */
export function sortActivities(
  activities: readonly Pick<Activity, 'links'>[],
): { places: number[] } | { ring: number[] } {
  const followers = listSuccessors(activities)
  const waiting = activities.map(({ links }) => links.length)
  const places: number[] = []
  for (const [place, links] of waiting.entries()) if (links === 0) places.push(place)
  for (let i = 0; i < places.length; i++) {
    for (const follower of followers[places[i] ?? 0] ?? []) {
      const left = (waiting[follower] ?? 0) - 1
      waiting[follower] = left
      if (left === 0) places.push(follower)
    }
  }
  return places.length === activities.length ? { places } : { ring: findRing(activities, waiting) }
}

function listSuccessors(activities: readonly Pick<Activity, 'links'>[]): number[][] {
  const successors: number[][] = activities.map(() => [])
  for (const [place, { links }] of activities.entries()) for (const { from } of links) successors[from]?.push(place)
  return successors
}

/**
 * Finds a cycle. Every waiting activity has a waiting predecessor, so following predecessors eventually leads to an
 * activity that was already visited.
 */
function findRing(activities: readonly Pick<Activity, 'links'>[], waiting: readonly number[]): number[] {
  const trail: number[] = []
  const seen = new Map<number, number>()
  let place = waiting.findIndex((left) => left > 0)
  while (!seen.has(place)) {
    seen.set(place, trail.length)
    trail.push(place)
    place = activities[place]?.links.find(({ from }) => (waiting[from] ?? 0) > 0)?.from ?? place
  }
  return trail.slice(seen.get(place))
}
