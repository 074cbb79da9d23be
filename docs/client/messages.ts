import type { Fault, SandboxData, SandboxSeed } from 'shortlink-sdk/testing'
import type { ExampleOptions } from '../site/example-options.ts'

/** What the page tells the worker. */
export interface RunMessage {
  /** The program, in TypeScript. */
  code: string
  options: ExampleOptions
  /** Rows to start with, in place of the samples. */
  data?: SandboxSeed
  faults?: readonly Fault[]
}

/** A request as the panel shows it. */
export interface ShownRequest {
  /** Unique within a run. */
  id: number
  method: string
  /** With the query. */
  path: string
  body?: string
  /** Unset until there is a response. */
  status?: number
  response?: string
  /** Why there is no response. */
  failure?: string
  durationMs?: number
}

/** A sandbox after the run. */
export interface ShownSandbox {
  rateLimit: { limit: number; remaining: number; resetIn: number | undefined } | undefined
  before: SandboxData
  after: SandboxData
}

/** What the worker tells the page. */
export type WorkerMessage =
  | { type: 'print'; isError: boolean; text: string }
  | { type: 'request'; request: ShownRequest }
  | { type: 'end'; failed: boolean; sandboxes: ShownSandbox[] }

/** Sends a message from the worker to the page. */
export function post(message: WorkerMessage): void {
  self.postMessage(message)
}
