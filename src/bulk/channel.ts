/** Hands results from those who make them to the one who takes them. Who gives is held up until it is taken. */
export function createHandover<T>() {
  const offered: { value: T; taken: () => void }[] = []
  let closed = false
  let wake = () => {}

  return {
    /** Offers a value; resolves when it is taken, or when nobody will take it any more. */
    give(value: T): Promise<void> {
      if (closed) return Promise.resolve()
      return new Promise((taken) => {
        offered.push({ value, taken })
        wake()
      })
    },

    /** No more will be given, or taken. */
    close(): void {
      closed = true
      for (const { taken } of offered) taken()
      wake()
    },

    /** What is given, in that order, until it is closed. */
    async *[Symbol.asyncIterator](): AsyncGenerator<T> {
      for (;;) {
        const next = offered.shift()
        if (next) {
          next.taken()
          yield next.value
        } else if (closed) return
        else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    },
  }
}
