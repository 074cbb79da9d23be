import {type Fault, type SandboxData, type SandboxSeed} from 'shortlink-sdk/testing'
import {type ExampleOptions} from '../site/example-options.ts'

/** What the page tells the worker. */
export interface RunMessage {
  /** The program, as JavaScript. */
  js: string
  options: ExampleOptions
  /** Rows to begin with in place of the samples. */
  data?: SandboxSeed
  faults?: readonly Fault[]
}

/** A request as the panel shows it. */
export interface ShownRequest {
  /** Unique within a run. */
  id: number
  sandbox: number
  method: string
  /** With the query. */
  path: string
  body?: string
  /** Unset until there is an answer. */
  status?: number
  answer?: string
  /** Why there is no answer. */
  failure?: string
  durationMs?: number
}

/** A sandbox after the run. */
export interface ShownSandbox {
  id: number
  rateLimit: { limit: number; remaining: number; resetIn: number | undefined } | undefined
  before: SandboxData
  after: SandboxData
}

/** What the worker tells the page. */
export type WorkerMessage =
  | { type: 'print'; isError: boolean; text: string }
  | { type: 'request'; request: ShownRequest }
  | { type: 'end'; failed: boolean; sandboxes: ShownSandbox[] }
