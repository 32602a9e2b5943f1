/** The seed of the random tests. A failed run prints its seed, and FUZZ_SEED=… repeats the run. */
export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

/**
 * The number of seconds that each random suite may search on each database. Each suite always completes its minimum,
 * regardless of the time. `npm run test:long` sets it to half an hour.
 */
export const SECONDS = Number(process.env.FUZZ_SECONDS ?? 15)

/** Gives a slow machine time to complete the minimum. */
export const TIMEOUT_MS = SECONDS * 1000 + 600_000

/** Runs a batch with one seed after another until the deadline, at least once, and returns the number of batches. */
export async function repeatUntilDeadline(deadlineMs: number, batch: (seed: number) => Promise<void>): Promise<number> {
  let batches = 0
  do {
    await batch(SEED + batches)
    batches++
  } while (performance.now() < deadlineMs)
  return batches
}
