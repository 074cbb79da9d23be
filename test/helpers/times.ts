/** Returns how often to repeat a test: the given number, multiplied by TIMES, which is 10 in `.ci/run all`. */
export function times(often: number): number {
  return often * Number(process.env.TIMES ?? 1)
}
