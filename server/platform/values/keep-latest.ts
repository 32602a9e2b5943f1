/**
 * Sets the entry as the latest one, and removes the oldest if there are too many. A caller that sets many entries
 * displaces others only until they are set again. Returns the key of the removed entry.
 */
export function keepLatest<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, max: number): Key | undefined {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= max) return undefined
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return oldest
  }
  return undefined
}
