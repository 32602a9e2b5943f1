import type { Task } from '../../../../client/contract.gen.ts'

/** Returns the reason why the schedule of the home can no longer change; null if it can change. */
export function explainWhyScheduleIsFixed(home: {
  name: string
  status: string
  archivedAt: string | null
}): string | null {
  if (home.status === 'cancelled') return `Cannot change the schedule of ${home.name}: the home is canceled.`
  if (home.archivedAt !== null) return `Cannot change the schedule of ${home.name}: the home is archived.`
  return null
}

/**
 * Returns the names of up to three tasks, each shortened to 60 characters. If there are more tasks, returns two names
 * and the number of other tasks.
 */
export function formatTaskNames(tasks: readonly Pick<Task, 'name'>[]): string {
  const names = tasks.slice(0, 3).map(({ name }) => name.slice(0, 60))
  if (tasks.length > 3) names[2] = `${tasks.length - 2} others`
  const last = names.pop() ?? ''
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`
}
