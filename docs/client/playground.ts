import { type Fault, sampleData } from 'shortlink-sdk/testing'
import {type Editor} from './editor.ts'
import { element } from './element.ts'
import { Panel } from './panel.ts'
import { fromFragment, toFragment } from './shared-program.ts'

type Lists = Record<string, unknown>

/** A program beside the sandbox that it talks to: its data, faults, dialect and rate limit. */
class SandboxPlayground extends HTMLElement {
  #editor: Editor | undefined
  #panel: Panel | undefined
  #data: Lists = {}
  #faults: Fault[] = []

  connectedCallback(): void {
    this.#reset()
    this.#on('reset', 'click', () => this.#reset())
    this.#on('rows', 'change', () => this.#reset())
    this.#on('list', 'change', () => this.#showRows())
    this.#on('data', 'change', () => this.#readRows())
    this.#on('add-fault', 'click', () => this.#addFault())
    this.#on('effect', 'change', () => this.#showEffect())
    for (const box of this.querySelectorAll('[name=deviation]')) {
      box.addEventListener('change', () => {
        this.#field('dialect').value = 'chosen'
      })
    }
    void this.#start()
  }

  async #start(): Promise<void> {
    const status = this.querySelector<HTMLElement>('.example-status')!
    const source = this.querySelector<HTMLElement>('.example-code')!
    const { createEditor } = await import('./editor.ts')
    this.#editor = createEditor(source)
    this.#panel = new Panel(status, this.querySelector('.example-output')!)
    status.textContent = ''
    await this.#open()
    window.addEventListener('hashchange', () => void this.#open())
    const run = this.querySelector<HTMLButtonElement>('.example-run')!
    const share = this.querySelector<HTMLButtonElement>('.example-share')!
    run.addEventListener('click', () => void this.#runOrStop(run))
    share.addEventListener('click', () => void this.#share())
    for (const button of [run, share]) button.disabled = false
  }

  /** Shows the program that the page's address holds. */
  async #open(): Promise<void> {
    try {
      const shared = await fromFragment(location.hash)
      if (!shared) return
      this.#editor!.setCode(shared.program)
      this.#faults = shared.faults
      this.#showFaults()
      this.#field('rows').value = String(shared.rows)
      this.#field('limit').value = String(shared.limit)
      this.#setDialect(shared.dialect)
      this.#reset()
      this.#status('Opened from the link')
    } catch {
      this.#status('This link holds no program: a part of it is missing.')
    }
  }

  /** Puts the program and what stands beside it into the page's address. */
  async #share(): Promise<void> {
    const fragment = await toFragment({
      program: this.#editor!.code,
      rows: Number(this.#field('rows').value),
      dialect: this.#dialect(),
      limit: Number(this.#field('limit').value),
      faults: this.#faults,
    })
    history.replaceState(null, '', fragment)
    await navigator.clipboard.writeText(location.href).then(
      () => this.#status('Copied the link. It holds the program, the faults, the dialect and the rate limit.'),
      () => this.#status('The link is in the address bar.'),
    )
  }

  #status(text: string): void {
    this.querySelector('.example-status')!.textContent = text
  }

  async #runOrStop(button: HTMLButtonElement): Promise<void> {
    const panel = this.#panel!
    if (panel.isRunning) return panel.stop()
    if (!this.#readRows()) return
    button.textContent = 'Stop'
    this.dataset.state = 'running'
    const limit = Number(this.#field('limit').value)
    const [sandbox] = await panel.run({
      js: await this.#editor!.javascript(),
      options: { dialect: this.#dialect(), limit: limit > 0 ? limit : 'off' },
      data: this.#data,
      faults: this.#faults,
    })
    if (sandbox) {
      this.#data = sandbox.after as unknown as Lists
      this.#showRows()
    }
    button.textContent = 'Run'
    this.dataset.state = 'ended'
  }

  #dialect(): string {
    const { value } = this.#field('dialect')
    if (value !== 'chosen') return value
    const chosen = [...this.querySelectorAll<HTMLInputElement>('[name=deviation]:checked')].map((box) => box.value)
    return chosen.join(',') || 'reference'
  }

  #setDialect(dialect: string): void {
    const field = this.#field('dialect')
    field.value = dialect
    const isNamed = field.value === dialect
    if (!isNamed) field.value = 'chosen'
    for (const box of this.querySelectorAll<HTMLInputElement>('[name=deviation]')) {
      box.checked = !isNamed && dialect.split(',').includes(box.value)
    }
  }

  #reset(): void {
    this.#data = sampleData(Number(this.#field('rows').value)) as unknown as Lists
    this.#showRows()
  }

  #showRows(): void {
    const list = this.#field('list').value
    const rows = this.#data[list] as unknown[]
    this.querySelector('.rows-caption')!.textContent = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
    this.#field('data').value = `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]`
    this.#say('')
  }

  /** Takes the rows as they were edited; says what is wrong with them if they are none. */
  #readRows(): boolean {
    try {
      const rows: unknown = JSON.parse(this.#field('data').value)
      if (!Array.isArray(rows)) throw new TypeError('expected an array of rows')
      this.#data[this.#field('list').value] = rows
      this.#showRows()
      return true
    } catch (error) {
      this.#say(`These rows are not taken: ${(error as Error).message}`)
      return false
    }
  }

  #say(problem: string): void {
    this.querySelector('.problem')!.textContent = problem
    this.#field('data').setAttribute('aria-invalid', String(problem !== ''))
  }

  #showEffect(): void {
    for (const label of this.querySelectorAll<HTMLElement>('[data-for]')) {
      label.hidden = label.dataset.for !== this.#field('effect').value
    }
  }

  #addFault(): void {
    const fault: Fault = { times: Number(this.#field('times').value) }
    const { value: effect } = this.#field('effect')
    if (effect === 'before' || effect === 'after') fault.drop = effect
    else if (effect === 'delay') fault.delay = Number(this.#field('delay').value)
    else if (effect === 'rate') Object.assign(fault, { status: 429, headers: { 'Retry-After': '2' } })
    else fault.status = Number(this.#field('status').value)
    const { value: method } = this.#field('method')
    if (method) fault.method = method as NonNullable<Fault['method']>
    const path = this.#field('path').value.trim()
    if (path) fault.path = path
    this.#faults.push(fault)
    this.#showFaults()
  }

  #showFaults(): void {
    this.querySelector('.faults')!.replaceChildren(
      ...this.#faults.map((fault) => {
        const remove = element('button', { type: 'button', 'aria-label': `Remove ${faultText(fault)}` }, 'Remove')
        remove.addEventListener('click', () => {
          this.#faults = this.#faults.filter((each) => each !== fault)
          this.#showFaults()
        })
        return element('li', {}, element('span', {}, faultText(fault)), remove)
      }),
    )
  }

  #field(name: string): HTMLInputElement {
    return this.querySelector<HTMLInputElement>(`[name=${name}]`)!
  }

  #on(name: string, event: string, listener: () => void): void {
    this.#field(name).addEventListener(event, listener)
  }
}

function faultText({ method, path, times, status, drop, delay }: Fault): string {
  const effect = drop ? `lost ${drop} the work` : delay !== undefined ? `${delay} ms late` : `status ${status}`
  return `${method ?? 'any method'}, ${path ?? 'any path'}: ${effect}, ${times === 1 ? 'once' : `${times} times`}`
}

customElements.define('sandbox-playground', SandboxPlayground)
