import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EXPIRED, onAbort, sleep, withDeadline } from '../../src/runtime/abort.ts'

const forever = () => new Promise<never>(() => {})

describe('withDeadline', () => {
  it('sets no timer if there is no timeout', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => setTimer.mockRestore())
    expect(await withDeadline(async () => 'done', false, undefined)).toBe('done')
    expect(setTimer).not.toHaveBeenCalled()
    expect(await withDeadline(async () => 'done', 60_000, undefined)).toBe('done')
    expect(setTimer).toHaveBeenCalledOnce()
  })

  it('aborts work that outlasts its time, with the same reason that it rejects with', async () => {
    let given: AbortSignal | undefined
    const work = (signal: AbortSignal) => {
      given = signal
      return forever()
    }
    await expect(withDeadline(work, 1, undefined)).rejects.toBe(EXPIRED)
    expect(given?.reason).toBe(EXPIRED)
  })

  it('does not begin work whose signal has aborted', async () => {
    const work = vi.fn(forever)
    await expect(withDeadline(work, false, AbortSignal.abort('left'))).rejects.toBe('left')
    expect(work).not.toHaveBeenCalled()
  })
})

describe('sleep', () => {
  it('ends after its time, and not before', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const ended = vi.fn()
    const sleeping = sleep(1000, undefined).then(ended)
    await vi.advanceTimersByTimeAsync(999)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledOnce()
    await sleeping
  })

  it('rejects with the reason of its signal', async () => {
    const controller = new AbortController()
    const sleeping = sleep(60_000, controller.signal)
    controller.abort('left')
    await expect(sleeping).rejects.toBe('left')
    await expect(sleep(60_000, controller.signal)).rejects.toBe('left')
  })
})

describe('onAbort', () => {
  it('keeps one listener on the signal until the last callback is taken back', () => {
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

  it('calls back those that wait, and no other', () => {
    const controller = new AbortController()
    const [left, waiting] = [vi.fn(), vi.fn()]
    const takeBack = onAbort(controller.signal, left)
    onAbort(controller.signal, waiting)
    takeBack()
    controller.abort()
    expect(left).not.toHaveBeenCalled()
    expect(waiting).toHaveBeenCalledOnce()
  })
})
