/** Helpers for the examples of long jobs: a progress bar, and a process that is killed halfway. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TaskProgress } from 'shortlink-cli'

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

/** Returns the line of a progress bar. */
export function bar({ done, total = 0, elapsedMs, etaMs }: TaskProgress): string {
  const filled = Math.round((done / total) * 30)
  const left = etaMs === undefined ? '' : `, about ${seconds(etaMs)} left`
  return `[${'█'.repeat(filled).padEnd(30, '·')}] ${done} of ${total} after ${seconds(elapsedMs)}${left}`
}

/** Runs a program and shows its progress. Kills it when the given number of items is done. */
export async function run(program: readonly string[], killAt = Infinity): Promise<void> {
  const child = spawn(process.execPath, ['--import', 'tsx', ...program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  for await (const line of createInterface(child.stdout)) {
    const [, done, total] = /\] (\d+) of (\d+)/.exec(line) ?? []
    if (process.stdout.isTTY && done) process.stdout.write(`\r${line}\x1b[K${done === total ? '\n' : ''}`)
    else if (!done || Number(done) % 100 === 0) console.log(line)
    if (Number(done) >= killAt) child.kill('SIGKILL')
  }
  await exited
  if (child.signalCode) console.log(`\nkilled with ${child.signalCode}`)
}
