import { vi } from 'vitest'

type Handler<Event> = ((event: Event) => void) | null

/** Of Node, whatever a test puts in its place later. */
const { fetch } = globalThis

/**
 * What an upload needs of XMLHttpRequest, as its standard says it: redirects are followed, an error has no reason, and
 * what is set too late is an error. It sends over the fetch of Node.
 */
class XmlHttpRequest {
  readonly upload: { onprogress: Handler<{ lengthComputable: boolean; loaded: number; total: number }> } = {
    onprogress: null,
  }
  onload: Handler<unknown> = null
  onerror: Handler<unknown> = null
  onabort: Handler<unknown> = null
  responseType: '' | 'blob' = ''
  withCredentials = false
  response: unknown = ''
  responseURL = ''
  status = 0
  statusText = ''
  state: 'unsent' | 'opened' | 'sent' | 'done' | 'failed' | 'aborted' = 'unsent'
  #method = ''
  #url = ''
  #answered = new Headers()
  readonly #headers = new Headers()
  readonly #controller = new AbortController()

  open(method: string, url: string): void {
    if (!URL.canParse(url)) throw new DOMException(`invalid URL: ${url}`, 'SyntaxError')
    this.#method = method.toUpperCase()
    this.#url = url
    this.state = 'opened'
  }

  setRequestHeader(name: string, value: string): void {
    this.#mustBeOpened()
    this.#headers.append(name, value)
  }

  send(body: Blob): void {
    this.#mustBeOpened()
    this.state = 'sent'
    // The standard asks here whether anybody listens: a listener that comes later is told nothing.
    const onSent = this.upload.onprogress === null ? () => {} : (loaded: number) => this.#progress(loaded, body.size)
    void this.#exchange(body, onSent)
  }

  abort(): void {
    if (this.state !== 'sent') return
    this.state = 'aborted'
    this.#controller.abort()
    this.onabort?.({})
  }

  /** Every header in a line, by name and in lower case; the last line ends like the others. */
  getAllResponseHeaders(): string {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }

  #mustBeOpened(): void {
    if (this.state !== 'opened') throw new DOMException(`the state is ${this.state}`, 'InvalidStateError')
  }

  #progress(loaded: number, total: number): void {
    if (this.state === 'sent') this.upload.onprogress?.({ lengthComputable: true, loaded, total })
  }

  async #exchange(body: Blob, onSent: (loaded: number) => void): Promise<void> {
    const init = { method: this.#method, headers: this.#headers, body, signal: this.#controller.signal }
    try {
      const sending = fetch(this.#url, init)
      await null
      onSent(Math.floor(body.size / 2))
      const response = await sending
      onSent(body.size)
      const content = await response.blob()
      this.response = this.responseType === 'blob' ? content : await content.text()
      this.responseURL = response.url
      this.status = response.status
      this.statusText = response.statusText
      this.#answered = response.headers
    } catch {
      if (this.state === 'aborted') return
      this.state = 'failed'
      this.onerror?.({})
      return
    }
    if (this.state === 'aborted') return
    this.state = 'done'
    this.onload?.({})
  }
}

/** Gives the runtime an XMLHttpRequest until its globals are put back. The answer lists those that were made. */
export function stubXmlHttpRequest(): readonly Pick<XmlHttpRequest, 'state' | 'withCredentials'>[] {
  const made: XmlHttpRequest[] = []
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends XmlHttpRequest {
      constructor() {
        super()
        made.push(this)
      }
    },
  )
  return made
}
