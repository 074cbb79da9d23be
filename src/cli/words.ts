/** So many of something: 1 link, 1,000 links. */
export const many = (number: number, what: string): string => `${count(number)} ${what}${number === 1 ? '' : 's'}`

/** A number as people write it: 1,000. */
export const count = (number: number): string => number.toLocaleString('en-US')

/** A time in the largest unit that fits. */
export function duration(seconds: number): string {
  const units = { day: 86_400, hour: 3600, minute: 60 }
  const [unit, size] = Object.entries(units).find(([, size]) => seconds >= size) ?? ['second', 1]
  return many(Math.round(seconds / size), unit)
}
