/** Processes beside this one: the server, and programs whose memory is measured. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts a program of `children/` and waits for what it says first. */
async function start<T>(program: string, args: string[] = []): Promise<{ child: ChildProcess; said: T }> {
  const path = fileURLToPath(new URL(`children/${program}`, import.meta.url))
  const child = fork(path, args, { execArgv: [...process.execArgv, '--expose-gc'] })
  const exit = once(child, 'exit').then(([code]) => {
    throw new Error(`${program} ended with ${code} and said nothing`)
  })
  const [said] = await Promise.race([once(child, 'message'), exit])
  exit.catch(() => {})
  return { child, said }
}

/** Runs a program to its end, and gives what it said. */
export async function run<T>(program: string, ...args: string[]): Promise<T> {
  const { child, said } = await start<T>(program, args)
  if (child.exitCode === null) await once(child, 'exit')
  return said
}

/** Serves rows to `use`: 25 of them a page under `address(25)`, all on one page unless told otherwise. */
export async function withServer<T>(use: (address: Address) => Promise<T>): Promise<T> {
  const { child, said: port } = await start<number>('server.ts')
  try {
    return await use((rows, perPage = rows, delay = 0) => `http://127.0.0.1:${port}/${rows}/${perPage}/${delay}`)
  } finally {
    child.disconnect()
  }
}

export type Address = (rows: number, perPage?: number, delay?: number) => string
