/** The calls of a task that write. */
export class Writes {
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  async run<T>(call: (signal: AbortSignal) => PromiseLike<T>): Promise<T> {
    return await call(this.#signal)
  }
}
