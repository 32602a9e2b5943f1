import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { conflict } from '../../platform/problems/problem.ts'

/**
 * Passes a destination for lines to `work`: stdout, or a new file, which gets its final name only when it is complete.
 * A write resolves when the destination has consumed it, so that data does not accumulate for a slow reader.
 */
export async function runWithLineWriter<T>(
  out: string | undefined,
  work: (write: (lines: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (out === undefined) {
    // An error of the reader makes the write fail, so no other handling is needed.
    process.stdout.on('error', () => {})
    return work(
      (lines) =>
        new Promise((done, fail) => {
          process.stdout.write(lines, (error) => (error ? fail(error) : done()))
        }),
    )
  }
  const file = path.resolve(out)
  if (existsSync(file)) throw conflict('value_taken', `${file} already exists. Choose another file.`)
  const partial = `${file}.partial`
  // The file contains all of the builder's data, so it is private.
  const handle = await open(partial, 'w', 0o600)
  try {
    const result = await work((lines) => handle.writeFile(lines))
    await handle.sync()
    await rename(partial, file)
    return result
  } finally {
    await handle.close()
    await rm(partial, { force: true })
  }
}

const PROGRESS_INTERVAL_MS = 1000

/**
 * Returns a function that reports progress on stderr as JSON: the first call immediately, and then at most one call per
 * second.
 */
export function createProgressReporter(): (sentence: () => string) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (sentence) => {
    if (Date.now() - saidAt < PROGRESS_INTERVAL_MS) return
    saidAt = Date.now()
    process.stderr.write(`${JSON.stringify({ progress: sentence() })}\n`)
  }
}
