import { keepLatest } from '../values/keep-latest.ts'

/**
 * Caches the statements of one resource, each built when its shape first occurs. A shape consists only of declared
 * names, in a fixed order, never of values. Still, a list with ten filters has thousands of shapes. Clients use only a
 * few of them, so beyond the maximum the oldest are dropped and built again when needed.
 */
export type StatementCache = (shape: string, build: () => string) => string

const MAX_SHAPES = 500

export function createStatementCache(): StatementCache {
  const known = new Map<string, string>()
  return (shape, build) => {
    let text = known.get(shape)
    if (text === undefined) {
      text = build()
      keepLatest(known, shape, text, MAX_SHAPES)
    }
    return text
  }
}
