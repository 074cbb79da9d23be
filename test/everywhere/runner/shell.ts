import { spawn } from 'node:child_process'

export interface Ran {
  code: number
  output: string
}

/** Runs a command and collects its output. It is killed after `timeout` milliseconds. */
export function run(
  command: string,
  args: readonly string[],
  { cwd, env, timeout = 600_000 }: { cwd?: string; env?: NodeJS.ProcessEnv; timeout?: number } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const timer = setTimeout(() => child.kill('SIGKILL'), timeout)
    const end = (code: number, more = '') => {
      clearTimeout(timer)
      resolve({ code, output: Buffer.concat(chunks).toString() + more })
    }
    child.on('error', (error) => end(127, String(error)))
    child.on('close', (code, signal) => end(code ?? 1, signal ? `\nended by ${signal}` : ''))
  })
}

/** Runs a command that must succeed. */
export async function must(
  command: string,
  args: readonly string[],
  options?: Parameters<typeof run>[2],
): Promise<string> {
  const { code, output } = await run(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.slice(-4000)}`)
  return output
}
