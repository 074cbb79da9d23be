import { vi } from 'vitest'

type Handler<Event> = ((event: Event) => void) | null

// Node's fetch, even if a test replaces the global one later.
const { fetch } = globalThis

/**
 * The parts of XMLHttpRequest that an upload needs, as in its standard: it follows redirects, an error has no reason,
 * and a header that is set too late throws. It sends with Node's fetch.
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
  #responseHeaders = new Headers()
  readonly #headers = new Headers()
  readonly #controller = new AbortController()

  open(method: string, url: string): void {
    if (!URL.canParse(url)) throw new DOMException(`invalid URL: ${url}`, 'SyntaxError')
    this.#method = method.toUpperCase()
    this.#url = url
    this.state = 'opened'
  }

  setRequestHeader(name: string, value: string): void {
    this.#assertOpened()
    this.#headers.append(name, value)
  }

  send(body: Blob): void {
    this.#assertOpened()
    this.state = 'sent'
    // As in the standard, a listener that is added after `send` is never called.
    const onSent = this.upload.onprogress === null ? () => {} : (loaded: number) => this.#progress(loaded, body.size)
    void this.#exchange(body, onSent)
  }

  abort(): void {
    if (this.state !== 'sent') return
    this.state = 'aborted'
    this.#controller.abort()
    this.onabort?.({})
  }

  /** Returns a line for each header, sorted by name. Names are in lower case, and every line ends with CRLF. */
  getAllResponseHeaders(): string {
    return [...this.#responseHeaders].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }

  #assertOpened(): void {
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
      this.#responseHeaders = response.headers
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

/** Stubs the global XMLHttpRequest until `vi.unstubAllGlobals()`. Returns the list of all instances. */
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
