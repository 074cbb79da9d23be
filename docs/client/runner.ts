import {type RunMessage, type ShownRequest, type ShownSandbox, type WorkerMessage} from './messages.ts'

/** What a run tells as it goes on. */
export interface RunListener {
  onPrint(text: string, isError: boolean): void
  /** A new request, or one that was told of before and has now its answer. */
  onRequest(request: ShownRequest): void
  onEnd(how: 'done' | 'failed' | 'stopped' | 'timeout', sandboxes: ShownSandbox[]): void
}

/** Milliseconds after which a run is stopped. */
export const timeLimit = 30_000

/** Runs a program in a worker of its own. Returns the function that stops it. */
export function start(message: RunMessage, listener: RunListener): () => void {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  const end = (...result: Parameters<RunListener['onEnd']>) => {
    clearTimeout(timer)
    worker.terminate()
    worker.onmessage = null
    worker.onerror = null
    listener.onEnd(...result)
  }
  const timer = setTimeout(() => end('timeout', []), timeLimit)
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.type === 'print') listener.onPrint(data.text, data.isError)
    else if (data.type === 'request') listener.onRequest(data.request)
    else end(data.failed ? 'failed' : 'done', data.sandboxes)
  }
  worker.onerror = (event) => {
    listener.onPrint(event.message || 'The worker that runs examples could not be loaded.', true)
    end('failed', [])
  }
  worker.postMessage(message)
  return () => end('stopped', [])
}
