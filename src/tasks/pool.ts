/** Work that was started. In an object, because a generator would wait for a promise. */
export interface Started<R> {
  readonly result: R | Promise<R>
}

/**
 * Gives results as they come. At most `size` pieces of work are in progress or have results that nobody has taken yet.
 *
 * @param source Starts the work, one piece after another. If it fails, its error comes after the work in progress.
 */
export async function* pool<R>(source: AsyncGenerator<Started<R>>, size: number): AsyncGenerator<R> {
  const ready: R[] = []
  let inWork = 0
  let isStarting = false
  let isOver = false
  let failure: { readonly error: unknown } | undefined
  let wake = () => {}
  const start = async () => {
    isStarting = true
    try {
      const { done, value } = await source.next()
      if (done) isOver = true
      else void finish(value.result)
    } catch (error) {
      isOver = true
      failure = { error }
    }
    isStarting = false
    wake()
  }
  const finish = async (result: R | Promise<R>) => {
    inWork++
    ready.push(await result)
    wake()
  }
  const mayStart = () => !isOver && !isStarting && inWork < size
  while (!isOver || inWork > 0) {
    if (mayStart()) void start()
    while (ready.length > 0) {
      const result = ready.shift()!
      inWork--
      if (mayStart()) void start()
      yield result
    }
    const changed = new Promise<void>((resolve) => {
      wake = resolve
    })
    if (ready.length === 0 && (inWork > 0 || isStarting) && !mayStart()) await changed
  }
  if (failure) throw (failure as { readonly error: unknown }).error
}
