import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { onAbort, TIMED_OUT, withDeadline } from '../../../src/client/runtime/abort.ts'

const forever = () => new Promise<never>(() => {})

describe('withDeadline', () => {
  it('aborts work that takes longer, with the same reason as its rejection', async () => {
    let given: AbortSignal | undefined
    const work = (signal: AbortSignal) => {
      given = signal
      return forever()
    }
    await expect(withDeadline(work, 1, undefined)).rejects.toBe(TIMED_OUT)
    expect(given?.reason).toBe(TIMED_OUT)
  })

  it('does not start work if the signal is already aborted', async () => {
    const work = vi.fn(forever)
    await expect(withDeadline(work, false, AbortSignal.abort('left'))).rejects.toBe('left')
    expect(work).not.toHaveBeenCalled()
  })
})

describe('onAbort', () => {
  it('keeps one listener on the signal until the last callback is removed', () => {
    const { signal } = new AbortController()
    const listeners = () => getEventListeners(signal, 'abort').length
    const takeBack = [onAbort(signal, () => {}), onAbort(signal, () => {})]
    expect(listeners()).toBe(1)
    takeBack[0]!()
    expect(listeners()).toBe(1)
    takeBack[1]!()
    expect(listeners()).toBe(0)
    onAbort(signal, () => {})
    expect(listeners()).toBe(1)
  })

  it('calls only the callbacks that were not removed', () => {
    const controller = new AbortController()
    const [removed, kept] = [vi.fn(), vi.fn()]
    const unsubscribe = onAbort(controller.signal, removed)
    onAbort(controller.signal, kept)
    unsubscribe()
    controller.abort()
    expect(removed).not.toHaveBeenCalled()
    expect(kept).toHaveBeenCalledOnce()
  })
})
