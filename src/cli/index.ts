#!/usr/bin/env node
import process from 'node:process'
import { main } from './main.ts'
import { goOnWithoutReaders } from './readers.ts'

goOnWithoutReaders(process)
const status = await main(process.argv.slice(2))
if (status !== undefined) process.exitCode = status
