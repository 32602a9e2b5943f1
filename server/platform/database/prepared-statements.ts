import { setLatestEntry } from '../values/set-latest-entry.ts'

/**
 * Marks a statement as not prepared, so that PostgreSQL plans each execution for the given values. Use it if no single
 * plan suits all values, for example for a list that is filtered by a column with both rare and common values.
 */
export const PLAN_EACH_TIME = ' -- planned each time'

export function isPlannedEachTime(text: string): boolean {
  return text.endsWith(PLAN_EACH_TIME)
}

/**
 * The maximum number of statement names. Names are never reused, because a connection may still have the prepared
 * statement of a removed name.
 */
const MAX_NAMES = 2000
const names = new Map<string, string>()
let count = 0

/**
 * Returns the name with which each connection prepares a statement; undefined if the statement is planned each time.
 */
export function getStatementName(text: string): string | undefined {
  if (isPlannedEachTime(text)) return undefined
  let name = names.get(text)
  if (name === undefined) {
    name = `s${++count}`
    setLatestEntry(names, text, name, MAX_NAMES)
  }
  return name
}
