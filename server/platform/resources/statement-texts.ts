import { setLatestEntry } from '../values/set-latest-entry.ts'

/**
 * Caches the statements of a resource. A statement is built when its shape first occurs. A shape consists of declared
 * names in a fixed order and contains no values. A list with ten filters has thousands of possible shapes, but clients
 * use only a few. If the maximum is exceeded, the oldest statements are removed, and are built again when necessary.
 */
export type StatementCache = (shape: string, build: () => string) => string

const MAX_SHAPES = 500

export function createStatementCache(): StatementCache {
  const known = new Map<string, string>()
  return (shape, build) => {
    let text = known.get(shape)
    if (text === undefined) {
      text = build()
      setLatestEntry(known, shape, text, MAX_SHAPES)
    }
    return text
  }
}
