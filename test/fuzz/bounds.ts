/** The seed of the random tests. A failed run prints its seed. FUZZ_SEED=… repeats the run. */
export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

/**
 * The number of seconds for which each random suite runs on each database. A suite always completes its minimum, even
 * if that takes longer. `npm run test:long` sets it to half an hour.
 */
export const SECONDS = Number(process.env.FUZZ_SECONDS ?? 15)

/** The time limit, which allows a slow machine to complete the minimum. */
export const TIMEOUT_MS = SECONDS * 1000 + 600_000

/** Runs a batch with one seed after another until the deadline, but at least once. Returns the number of batches. */
export async function repeatUntilDeadline(deadlineMs: number, batch: (seed: number) => Promise<void>): Promise<number> {
  let batches = 0
  do {
    await batch(SEED + batches)
    batches++
  } while (performance.now() < deadlineMs)
  return batches
}
