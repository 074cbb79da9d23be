/** How often a test does something, as often as the gate wants it; `.ci/run all` multiplies it by TIMES, which is 10 there. */
export function times(often: number): number {
  return often * Number(process.env.TIMES ?? 1)
}
