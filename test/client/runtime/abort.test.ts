import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { EXPIRED, onAbort, withDeadline } from '../../../src/client/runtime/abort.ts'

const forever = () => new Promise<never>(() => {})

describe('withDeadline', () => {
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
