/** What random tests begin with; a run that found something prints it, and FUZZ_SEED=… begins with the same. */
export const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)
