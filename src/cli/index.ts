#!/usr/bin/env node
import process from 'node:process'
import { main } from './main.ts'

// Whoever reads the output may stop reading, as `head` does. A full disk is an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    if (stream === process.stdout) console.error(`shortlink-sdk: ${error.message}`)
    process.exit(1)
  })
}

const status = await main(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
