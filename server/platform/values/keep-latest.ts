/**
 * Sets the entry as the latest one, and forgets the oldest if there are too many: whoever sets many takes the place of
 * others only until they set theirs again. Returns the key of what was forgotten.
 */
export function keepLatest<Key, Value>(
  entries: Map<Key, Value>,
  key: Key,
  value: Value,
  most: number,
): Key | undefined {
  entries.delete(key)
  entries.set(key, value)
  if (entries.size <= most) return undefined
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    return oldest
  }
  return undefined
}
