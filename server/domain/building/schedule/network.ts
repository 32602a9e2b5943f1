/**
 * A network of activities and the links between them, in workdays without dates. Time is counted in points between
 * workdays: an activity of 2 workdays that starts at point 3 takes the workdays 3 and 4 and ends at point 5, where the
 * next one can start. An activity of 0 workdays is a single point.
 */
export type LinkType = 'FS' | 'SS' | 'FF' | 'SF'

/** What an activity waits for: finish to start, start to start, finish to finish, or start to finish. */
export interface Link {
  /** The place of the predecessor in the list of activities. */
  from: number
  type: LinkType
  /** Workdays between the two points; negative ones overlap. */
  lag: number
}

/**
 * How an activity gets its start. `open` follows its links; `fixed` starts at its point whatever its predecessors do,
 * so these have to make way; `held` starts at its point too, but asks nothing of anybody; `started` and `done` are
 * facts.
 */
export type Start = 'open' | 'fixed' | 'held' | 'started' | 'done'

export interface Activity {
  start: Start
  duration: number
  /** The point of the start, or for an open activity the first point at which it may start. */
  at: number | null
  /** The point at which a done activity ended; otherwise null. */
  end: number | null
  links: readonly Link[]
}

/**
 * The places of all activities, predecessors before successors; or else a ring of activities that wait for each other,
 * each one for the next.
 */
export function order(activities: readonly Pick<Activity, 'links'>[]): { places: number[] } | { ring: number[] } {
  const followers = successorsOf(activities)
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
  return places.length === activities.length ? { places } : { ring: ringAmong(activities, waiting) }
}

function successorsOf(activities: readonly Pick<Activity, 'links'>[]): number[][] {
  const successors: number[][] = activities.map(() => [])
  for (const [place, { links }] of activities.entries()) for (const { from } of links) successors[from]?.push(place)
  return successors
}

/** Whatever still waits has a predecessor that still waits, so following these has to come back somewhere. */
function ringAmong(activities: readonly Pick<Activity, 'links'>[], waiting: readonly number[]): number[] {
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
