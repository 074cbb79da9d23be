#!/usr/bin/env node
import process from 'node:process'
import { main } from './main.ts'

// A reader that goes away, as head and log collectors do, changes neither the work nor the exit status.
process.stderr.on('error', () => {})
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  console.error(`shortlink: ${error.message}`)
  process.exit(1)
})
const status = await main(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
