/**
 * Sets an entry as the latest, and removes the oldest entry if there are too many. If a caller sets many entries, the
 * entries of other callers are removed only until they are set again. Returns the key of the removed entry.
 */
export function setLatestEntry<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  max: number,
): Key | undefined {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= max) return undefined
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return oldest
  }
  return undefined
}
