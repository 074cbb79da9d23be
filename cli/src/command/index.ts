#!/usr/bin/env node
import process from 'node:process'
import { main } from './main.ts'

// A reader that goes away, as head and log collectors do, changes neither the work nor the exit status. Whatever else
// is wrong with standard output fails the command that prints.
process.stderr.on('error', () => {})
process.stdout.on('error', () => {})
const status = await main(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
if (status !== undefined && status > 128) {
  // After a signal, input that stalls would keep the process alive. It also waits, even in `exit`, for the opening of a
  // named pipe that nobody writes to.
  process.stdin.destroy()
  setTimeout(() => process.kill(process.pid, status - 128), 500).unref()
}
