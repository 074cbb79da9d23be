/**
 * The seed of random tests: 1 in the gate. `.ci/run all` makes SEED of the date, so that each night tries other cases.
 * A failure names its seed: `SEED=17 FAULTS_RUNS=1` repeats that case alone.
 */
export const seed = Number(process.env.SEED ?? 1)
