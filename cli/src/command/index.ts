#!/usr/bin/env node
import process from 'node:process'
import { main } from './main.ts'

// If a reader such as `head` closes its end of a pipe, neither the work nor the exit status changes. Other errors of
// standard output reject the write, which fails the command.
process.stderr.on('error', () => {})
process.stdout.on('error', () => {})
const status = await main(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
if (status !== undefined && status > 128) {
  // After a signal, stalled input would keep the process alive. Even `exit` waits for a named pipe that has no writer.
  process.stdin.destroy()
  setTimeout(() => process.kill(process.pid, status - 128), 500).unref()
}
