import { onTestFinished } from 'vitest'
import { numberOf } from './responses.ts'
import type { Server } from './server.ts'

/** Returns the path and query of every request, in order. */
export const addresses = ({ seen }: Server): string[] => seen.map(({ url }) => url)

/** Returns the page number of every request, in order. */
export const pagesSeen = ({ seen }: Server): number[] => seen.map(({ url }) => numberOf(url))

export const ids = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id)

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

export async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

/** Runs the work and returns the reasons of all unhandled rejections. */
export async function unhandledIn(work: () => Promise<unknown>): Promise<unknown[]> {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => unhandled.push(reason)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', listener)
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  })
  await work()
  await new Promise((resolve) => setTimeout(resolve, 50))
  return unhandled
}
