// A cycle can be as long as the schedule. The first names are enough to find it.
const MAX_NAMES = 10

/** Returns an error message about tasks that form a cycle. Each task waits for the next task in `names`. */
export function describeCycle(names: readonly string[]): string {
  const [first = ''] = names
  const left = names.length - MAX_NAMES
  const shown = [...names.slice(0, MAX_NAMES), ...(left > 0 ? [`${left} more ${left === 1 ? 'task' : 'tasks'}`] : [])]
  return `must not form a cycle: ${[...shown, first].join(' waits for ')}`
}
