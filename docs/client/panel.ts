import {type SandboxData} from 'shortlink-sdk/testing'
import { bounded } from './bounded.ts'
import { element } from './element.ts'
import {type RunMessage, type ShownRequest, type ShownSandbox} from './messages.ts'
import { start, timeLimit } from './runner.ts'

const maxShownRequests = 200

/** Shows a run: what it prints, its requests with their answers, the rate budget, and what is then stored. */
export class Panel {
  readonly #status: HTMLElement
  readonly #text = element('pre', { className: 'example-text', tabIndex: 0, role: 'group', 'aria-label': 'Output' })
  readonly #requestCount = element('span')
  readonly #requestList = element('ol', { className: 'request-list' })
  readonly #requests = element('details', { className: 'panel-part', hidden: true, open: true })
  readonly #budget = element('p', { className: 'panel-budget' })
  readonly #stored = element('details', { className: 'panel-part', hidden: true })
  readonly #rows = new Map<number, HTMLElement>()
  #stop: (() => void) | undefined

  /** `status` says how the run goes; `parts` is emptied and filled with the rest. */
  constructor(status: HTMLElement, parts: HTMLElement) {
    this.#status = status
    this.#requests.append(
      element('summary', { className: 'part-title' }, 'Requests ', this.#requestCount),
      this.#requestList,
    )
    parts.replaceChildren(
      element('p', { className: 'example-caption' }, 'Output'),
      this.#text,
      this.#budget,
      this.#requests,
      this.#stored,
    )
  }

  get isRunning(): boolean {
    return this.#stop !== undefined
  }

  /** What was printed. */
  get text(): string {
    return this.#text.textContent
  }

  /** Runs a program, and resolves with its sandboxes when it has ended. */
  run(message: RunMessage): Promise<ShownSandbox[]> {
    this.#stop?.()
    this.#text.replaceChildren()
    this.#requestList.replaceChildren()
    this.#rows.clear()
    this.#budget.textContent = ''
    this.#requests.hidden = true
    this.#stored.hidden = true
    this.#status.textContent = 'Running…'
    const began = performance.now()
    return new Promise((resolve) => {
      this.#stop = start(message, {
        onPrint: (text, isError) => {
          this.#text.append(element('span', { className: isError ? 'printed-error' : '' }, `${text}\n`))
        },
        onRequest: (request) => this.#showRequest(request),
        onEnd: (how, sandboxes) => {
          this.#stop = undefined
          const seconds = ((performance.now() - began) / 1000).toFixed(1)
          this.#status.textContent = {
            done: `Ran in ${seconds} s`,
            failed: `Failed after ${seconds} s`,
            stopped: `Stopped after ${seconds} s`,
            timeout: `Stopped: examples have ${timeLimit / 1000} s`,
          }[how]
          if (this.#text.childNodes.length === 0) this.#text.append('')
          this.#showSandboxes(sandboxes)
          resolve(sandboxes)
        },
      })
    })
  }

  stop(): void {
    this.#stop?.()
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
      ...sandboxes.map(({ before, after }) =>
        element('div', { className: 'stored-lists' }, ...storedLists(before, after)),
      ),
    )
  }
}

function requestRow(request: ShownRequest, open: boolean): HTMLElement {
  const { method, path, status, failure, durationMs, body, answer } = request
  const result = status ?? (failure === undefined ? '…' : 'no response')
  const isBad = failure !== undefined || (status ?? 0) >= 400
  const details = element(
    'details',
    { open },
    element(
      'summary',
      {},
      element('span', { className: 'request-method' }, method),
      element('code', { className: 'request-path' }, path),
      element('span', { className: isBad ? 'request-status is-bad' : 'request-status' }, String(result)),
      element('span', { className: 'request-time' }, durationMs === undefined ? '' : `${Math.round(durationMs)} ms`),
    ),
  )
  if (body !== undefined) details.append(element('p', {}, 'Sent'), bodyText(body, 'Sent'))
  if (failure !== undefined) details.append(element('p', {}, failure))
  if (answer) details.append(element('p', {}, 'Response'), bodyText(answer, 'Response'))
  return element('li', {}, details)
}

function bodyText(text: string, label: string): HTMLElement {
  return element('pre', { className: 'json', tabIndex: 0, role: 'group', 'aria-label': label }, indented(text))
}

/** JSON with line breaks; anything else as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function budgetText({ rateLimit }: ShownSandbox): string {
  if (!rateLimit) return 'Rate budget: no limit.'
  const { limit, remaining, resetIn } = rateLimit
  const next = resetIn === undefined ? '' : `; the window ends in ${Math.max(0, Math.ceil(resetIn / 1000))} s`
  return `Rate budget: ${remaining} of ${limit} requests left${next}.`
}

/** One part for each list, those that the run changed first. */
function storedLists(before: SandboxData, after: SandboxData): HTMLElement[] {
  const names = Object.keys(after) as (keyof SandboxData)[]
  const parts = names.map((name) => ({ name, isChanged: JSON.stringify(before[name]) !== JSON.stringify(after[name]) }))
  parts.sort((a, b) => Number(b.isChanged) - Number(a.isChanged))
  return parts.map(({ name, isChanged }) => {
    const rows = after[name]
    const was = before[name]
    const count =
      !Array.isArray(rows) || !Array.isArray(was)
        ? ''
        : was.length === rows.length
          ? `${rows.length}`
          : `${was.length} → ${rows.length}`
    const part = element(
      'details',
      { className: isChanged ? 'is-changed' : '' },
      element('summary', {}, name, ' ', element('span', {}, count), isChanged ? ' changed' : ''),
    )
    // Filled when it is opened: there are many rows, and few are looked at.
    part.addEventListener('toggle', () => part.append(bodyText(listText(rows, was), name)), { once: true })
    return part
  })
}

/** The rows, new and changed ones first. */
function listText(rows: unknown, before: unknown): string {
  if (!Array.isArray(rows) || !Array.isArray(before)) return JSON.stringify(rows)
  const known = new Set(before.map((row) => JSON.stringify(row)))
  const sorted = rows.toSorted((a, b) => Number(known.has(JSON.stringify(a))) - Number(known.has(JSON.stringify(b))))
  return bounded(JSON.stringify(sorted, null, 2), 20_000)
}
