/** The `body` of a fault that changes nothing, and a promise for the moment when the work of its request is done. */
export function arrival(): { arrived: Promise<void>; body: (honest: string) => string } {
  let tell = () => {}
  const arrived = new Promise<void>((resolve) => {
    tell = resolve
  })
  const body = (honest: string) => {
    tell()
    return honest
  }
  return { arrived, body }
}
