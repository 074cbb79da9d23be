/** Passes values from many producers to one consumer. A producer waits until its value is taken. */
export class ResultChannel<T> {
  readonly #offered: { value: T; taken: () => void }[] = []
  #closed = false
  #wake = () => {}

  /** The number of values that wait. */
  get size(): number {
    return this.#offered.length
  }

  /** Offers a value. Resolves when it is taken, or when the channel is closed. */
  give(value: T): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((taken) => {
      this.#offered.push({ value, taken })
      this.#wake()
    })
  }

  /** Closes the channel. Waiting producers are released. */
  close(): void {
    this.#closed = true
    for (const { taken } of this.#offered) taken()
    this.#wake()
  }

  /** The values, in the order in which they were offered, until the channel is closed. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const next = this.#offered.shift()
      if (next) {
        next.taken()
        yield next.value
      } else if (this.#closed) return
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}
