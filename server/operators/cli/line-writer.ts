import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { conflict } from '../../platform/problems/problem.ts'

/**
 * Calls `work` with a function that writes lines to stdout or to a new file. The file gets its final name when it is
 * complete. A write resolves after the destination has consumed it, so that data for a slow reader does not accumulate
 * in memory.
 */
export async function runWithLineWriter<T>(
  out: string | undefined,
  work: (write: (lines: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (out === undefined) {
    // If the reader ends, the write fails. This empty handler only prevents an uncaught error.
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
  // The file contains all data of the builder, so only its owner may read it.
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
 * Returns a function that reports progress as JSON on stderr. It reports the first call immediately and then at most
 * one call per second.
 */
export function createProgressReporter(): (sentence: () => string) => void {
  let saidAt = Number.NEGATIVE_INFINITY
  return (sentence) => {
    if (Date.now() - saidAt < PROGRESS_INTERVAL_MS) return
    saidAt = Date.now()
    process.stderr.write(`${JSON.stringify({ progress: sentence() })}\n`)
  }
}
