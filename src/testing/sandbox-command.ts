#!/usr/bin/env node
import process from 'node:process'
import { runSandboxCommand } from './run-sandbox.ts'

// A reader that goes away, as head does, changes neither the work nor the exit status.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
const status = await runSandboxCommand(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
