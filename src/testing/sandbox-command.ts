#!/usr/bin/env node
import process from 'node:process'
import { runSandboxCommand } from './run-sandbox.ts'

// A reader that closes the pipe, as head does, must not change the work or the exit status.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
const status = await runSandboxCommand(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
