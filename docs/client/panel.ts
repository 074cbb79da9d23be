import type { SandboxData } from 'shortlink-sdk/testing'
import { bounded } from './bounded.ts'
import { element } from './element.ts'
import type { RunMessage, ShownRequest, ShownSandbox, WorkerMessage } from './messages.ts'

const maxShownRequests = 200
/** How long a run may take, in seconds. */
const timeLimit = 30

/** Runs programs, and shows what they print, their requests, the rate budget, and what is then stored. */
export class Panel {
  readonly #example: HTMLElement
  readonly #button: HTMLButtonElement
  readonly #status: Element
  readonly #text = element('pre', { className: 'example-text', tabIndex: 0, role: 'group', 'aria-label': 'Output' })
  readonly #requestCount = element('span')
  readonly #requestList = element('ol', { className: 'request-list' })
  readonly #requests = element('details', { className: 'panel-part', hidden: true, open: true })
  readonly #budget = element('p', { className: 'panel-budget' })
  readonly #stored = element('details', { className: 'panel-part', hidden: true })
  readonly #rows = new Map<number, HTMLElement>()
  #stop: (() => void) | undefined

  /** Shows the runs of an element that has a button, a status and an output. */
  constructor(example: HTMLElement) {
    this.#example = example
    this.#button = example.querySelector('.example-run')!
    this.#status = example.querySelector('.example-status')!
    const title = element('summary', { className: 'part-title' }, 'Requests ', this.#requestCount)
    this.#requests.append(title, this.#requestList)
    const caption = element('p', { className: 'example-caption' }, 'Output')
    const output = example.querySelector('.example-output')!
    output.replaceChildren(caption, this.#text, this.#budget, this.#requests, this.#stored)
  }

  /** Stops the program that runs, and returns whether there was one. */
  stop(): boolean {
    const isRunning = this.#stop !== undefined
    this.#stop?.()
    return isRunning
  }

  /** Runs a program in its own worker. Returns its sandboxes, or none if it did not come to its end. */
  async run(message: RunMessage): Promise<ShownSandbox[]> {
    this.#text.replaceChildren()
    this.#requestList.replaceChildren()
    this.#rows.clear()
    this.#budget.textContent = ''
    this.#requests.hidden = true
    this.#stored.hidden = true
    this.#status.textContent = 'Running…'
    this.#button.textContent = 'Stop'
    this.#example.dataset.state = 'running'
    const start = performance.now()
    const { status, sandboxes } = await this.#work(message)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    this.#status.textContent = status.replace('TIME', `${seconds} s`)
    this.#button.textContent = 'Run'
    this.#showSandboxes(sandboxes)
    this.#example.dataset.state = 'ended'
    return sandboxes
  }

  async #work(message: RunMessage): Promise<{ status: string; sandboxes: ShownSandbox[] }> {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
    worker.postMessage(message)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      return await new Promise((resolve) => {
        const end = (status: string, sandboxes: ShownSandbox[] = []) => resolve({ status, sandboxes })
        this.#stop = () => end('Stopped after TIME')
        timer = setTimeout(() => end(`Stopped: examples have ${timeLimit} s`), timeLimit * 1000)
        worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
          if (data.type === 'print') this.#print(data.text, data.isError)
          else if (data.type === 'request') this.#showRequest(data.request)
          else end(data.failed ? 'Failed after TIME' : 'Ran in TIME', data.sandboxes)
        }
        worker.onerror = ({ message }) => {
          this.#print(message || 'The worker that runs examples could not be loaded.', true)
          end('Failed after TIME')
        }
      })
    } finally {
      clearTimeout(timer)
      worker.terminate()
      this.#stop = undefined
    }
  }

  #print(text: string, isError: boolean): void {
    this.#text.append(element('span', { className: isError ? 'printed-error' : '' }, `${text}\n`))
  }

  #showRequest(request: ShownRequest): void {
    const known = this.#rows.get(request.id)
    if (!known && this.#rows.size >= maxShownRequests) return
    const row = requestRow(request, known?.querySelector('details')?.open ?? false)
    if (known) known.replaceWith(row)
    else this.#requestList.append(row)
    this.#rows.set(request.id, row)
    this.#requests.hidden = false
    this.#requestCount.textContent = String(this.#rows.size)
  }

  #showSandboxes(sandboxes: readonly ShownSandbox[]): void {
    this.#budget.textContent = sandboxes.map(budgetText).join(' ')
    this.#stored.hidden = sandboxes.length === 0
    this.#stored.replaceChildren(
      element('summary', { className: 'part-title' }, 'What is stored'),
      ...sandboxes.map((sandbox) => element('div', { className: 'stored-lists' }, ...storedLists(sandbox))),
    )
  }
}

function requestRow(request: ShownRequest, open: boolean): HTMLElement {
  const { method, path, status, failure, durationMs, body, response } = request
  const isBad = failure !== undefined || (status ?? 0) >= 400
  const result = String(status ?? (failure === undefined ? '…' : 'no response'))
  const time = durationMs === undefined ? '' : `${Math.round(durationMs)} ms`
  const summary = element(
    'summary',
    {},
    element('span', { className: 'request-method' }, method),
    element('code', { className: 'request-path' }, path),
    element('span', { className: isBad ? 'request-status is-bad' : 'request-status' }, result),
    element('span', { className: 'request-time' }, time),
  )
  const details = element('details', { open }, summary)
  if (body !== undefined) details.append(element('p', {}, 'Sent'), jsonText(body, 'Sent'))
  if (failure !== undefined) details.append(element('p', {}, failure))
  if (response) details.append(element('p', {}, 'Response'), jsonText(response, 'Response'))
  return element('li', {}, details)
}

/** Shows JSON with line breaks, and any other text unchanged. */
function jsonText(text: string, label: string): HTMLElement {
  const box = element('pre', { className: 'json', tabIndex: 0, role: 'group', 'aria-label': label }, text)
  try {
    box.textContent = JSON.stringify(JSON.parse(text), null, 2)
  } catch {}
  return box
}

function budgetText({ rateLimit }: ShownSandbox): string {
  if (!rateLimit) return 'Rate budget: no limit.'
  const { limit, remaining, resetIn } = rateLimit
  const next = resetIn === undefined ? '' : `; the window ends in ${Math.max(0, Math.ceil(resetIn / 1000))} s`
  return `Rate budget: ${remaining} of ${limit} requests left${next}.`
}

/** Returns one part for each list, those that the run changed first. */
function storedLists({ before, after }: ShownSandbox): HTMLElement[] {
  const changed: HTMLElement[] = []
  const unchanged: HTMLElement[] = []
  for (const name of Object.keys(after) as (keyof SandboxData)[]) {
    const [was, rows] = [before[name], after[name]]
    const isChanged = JSON.stringify(was) !== JSON.stringify(rows)
    const summary = element('summary', {}, name, ' ', element('span', {}, countText(was, rows)))
    if (isChanged) summary.append(' changed')
    const part = element('details', { className: isChanged ? 'is-changed' : '' }, summary)
    // Filled when it is opened: there are many rows, and few are looked at.
    part.addEventListener('toggle', () => part.append(jsonText(rowsText(was, rows), name)), { once: true })
    ;(isChanged ? changed : unchanged).push(part)
  }
  return [...changed, ...unchanged]
}

function countText(was: unknown, rows: unknown): string {
  if (!Array.isArray(rows) || !Array.isArray(was)) return ''
  return was.length === rows.length ? `${rows.length}` : `${was.length} → ${rows.length}`
}

/** Returns the rows as JSON, new and changed ones first. */
function rowsText(was: unknown, rows: unknown): string {
  if (!Array.isArray(rows) || !Array.isArray(was)) return JSON.stringify(rows)
  const known = new Set(was.map((row) => JSON.stringify(row)))
  const sorted = rows.toSorted((a, b) => Number(known.has(JSON.stringify(a))) - Number(known.has(JSON.stringify(b))))
  return bounded(JSON.stringify(sorted, null, 2), 20_000)
}
