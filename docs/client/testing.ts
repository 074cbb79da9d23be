import { createSandbox as create } from 'shortlink-sdk/testing'
import { record } from './recorder.ts'

export * from 'shortlink-sdk/testing'

/** The package's `createSandbox`, whose sandboxes the panel of the page shows. */
export const createSandbox: typeof create = (options) => record(create(options))
