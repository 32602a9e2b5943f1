/**
 * Sets the latest entry of a map. If there are too many entries, removes the oldest one and returns its key. A caller
 * that sets many entries removes those of other callers only until they are set again.
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
