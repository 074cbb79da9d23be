/** Creates a fault's `body` that changes nothing, and a promise that resolves when the work of the request is done. */
export function createArrival(): { arrived: Promise<void>; body: (honest: string) => string } {
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
