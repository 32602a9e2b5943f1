/** What random tests begin with; a run that found something prints it, and FUZZ_SEED=… begins with the same. */
export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

/**
 * How many seconds each random suite may look on each database. What it has to try at least, it tries however long that
 * takes. `npm run test:long` gives it half an hour.
 */
export const SECONDS = Number(process.env.FUZZ_SECONDS ?? 15)

/** A slow machine may take its time over what has to be tried at least. */
export const TIMEOUT_MS = SECONDS * 1000 + 600_000

/** Runs a batch with one seed after the other, at least one, until the time is over; says how many it were. */
export async function untilTimeIsOver(deadlineMs: number, batch: (seed: number) => Promise<void>): Promise<number> {
  let batches = 0
  do {
    await batch(SEED + batches)
    batches++
  } while (performance.now() < deadlineMs)
  return batches
}
