import { setLatestEntry } from '../values/set-latest-entry.ts'

/**
 * Marks a statement that is not prepared, so that PostgreSQL plans each call for its own values. Use this marker if no
 * single plan suits all values, for example for a list filtered by a column with both rare and common values.
 */
export const PLAN_EACH_TIME = ' -- planned each time'

export function isPlannedEachTime(text: string): boolean {
  return text.endsWith(PLAN_EACH_TIME)
}

/** Names are never reused, because a connection may still have the prepared statement of a dropped name. */
const MAX_NAMES = 2000
const names = new Map<string, string>()
let count = 0

/**
 * Returns the name under which each connection prepares a statement; undefined if the statement is planned each time.
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
