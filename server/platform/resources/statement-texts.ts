import { setLatestEntry } from '../values/set-latest-entry.ts'

/**
 * Caches the statements of one resource. Each statement is built when its shape first occurs. A shape consists only of
 * declared names in a fixed order, and never contains values. A list with ten filters still has thousands of shapes.
 * Clients use only a few shapes, so when the maximum is exceeded, the oldest statements are dropped and built again if
 * needed.
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
