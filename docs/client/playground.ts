import { type Fault, sampleData } from 'shortlink-sdk/testing'
import { parseDialect } from '../site/example-options.ts'
import type { Editor } from './editor.ts'
import { element } from './element.ts'
import { Panel } from './panel.ts'
import { fromFragment, toFragment } from './shared-program.ts'

type Lists = Record<string, unknown>

/** A program beside the sandbox that it talks to: its data, faults, dialect and rate limit. */
class SandboxPlayground extends HTMLElement {
  #data: Lists = {}
  #faults: Fault[] = []

  connectedCallback(): void {
    this.#reset()
    this.#on('[name=reset]', 'click', () => this.#reset())
    this.#on('[name=rows]', 'change', () => this.#reset())
    this.#on('[name=list]', 'change', () => this.#showRows())
    this.#on('[name=data]', 'change', () => this.#readRows())
    this.#on('[name=add-fault]', 'click', () => this.#addFault())
    this.#on('.deviations', 'change', () => {
      this.#field('dialect').value = 'chosen'
    })
    void this.#start()
  }

  async #start(): Promise<void> {
    const { createEditor } = await import('./editor.ts')
    const editor = createEditor(this.querySelector<HTMLElement>('.example-code')!)
    const panel = new Panel(this)
    this.#status('')
    await this.#open(editor)
    window.addEventListener('hashchange', () => void this.#open(editor))
    this.#on('.example-run', 'click', () => void this.#runOrStop(editor, panel))
    this.#on('.example-share', 'click', () => void this.#share(editor))
    for (const button of this.querySelectorAll<HTMLButtonElement>('.example-bar button')) button.disabled = false
  }

  /** Shows the program that the page's address holds. */
  async #open(editor: Editor): Promise<void> {
    try {
      const shared = await fromFragment(location.hash)
      if (!shared) return
      editor.setCode(shared.program)
      this.#showFaults(shared.faults)
      this.#field('rows').value = shared.rows
      this.#field('limit').value = shared.limit
      this.#setDialect(shared.dialect)
      this.#reset()
      this.#status('Opened from the link')
    } catch {
      this.#status('This link holds no program: a part of it is missing.')
    }
  }

  /** Puts the program and what stands beside it into the page's address. */
  async #share({ code: program }: Editor): Promise<void> {
    const [rows, limit] = [this.#field('rows').value, this.#field('limit').value]
    const shared = { program, rows, dialect: this.#dialect(), limit, faults: this.#faults }
    history.replaceState(null, '', await toFragment(shared))
    await navigator.clipboard.writeText(location.href).then(
      () => this.#status('Copied the link. It holds the program, the faults, the dialect and the rate limit.'),
      () => this.#status('The link is in the address bar.'),
    )
  }

  #status(text: string): void {
    this.querySelector('.example-status')!.textContent = text
  }

  async #runOrStop({ code }: Editor, panel: Panel): Promise<void> {
    if (panel.stop() || !this.#readRows()) return
    const requests = Number(this.#field('limit').value)
    const options = { rows: 0, dialect: parseDialect(this.#dialect()), rateLimit: requests > 0 && { requests } }
    const [sandbox] = await panel.run({ code, options, data: this.#data, faults: this.#faults })
    if (!sandbox) return
    this.#data = sandbox.after as unknown as Lists
    this.#showRows()
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
    const rows = this.#data[this.#field('list').value] as unknown[]
    this.querySelector('.rows-caption')!.textContent = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`
    this.#field('data').value = `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]`
    this.#say('')
  }

  /** Takes the rows as they were edited, and returns whether they are rows. Says what is wrong with them if not. */
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

  #addFault(): void {
    const value = (name: string) => this.#field(name).value.trim()
    const fault: Fault = { times: Number(value('times')) }
    const effect = value('effect')
    if (effect === 'before' || effect === 'after') fault.drop = effect
    else if (effect === 'delay') fault.delay = Number(value('delay'))
    else if (effect === 'rate') Object.assign(fault, { status: 429, headers: { 'Retry-After': '2' } })
    else fault.status = Number(value('status'))
    if (value('method')) fault.method = value('method') as NonNullable<Fault['method']>
    if (value('path')) fault.path = value('path')
    this.#showFaults([...this.#faults, fault])
  }

  /** Sets the faults, and lists them. */
  #showFaults(faults: Fault[]): void {
    this.#faults = faults
    const items = faults.map((fault) => {
      const text = faultText(fault)
      const remove = element('button', { type: 'button', 'aria-label': `Remove ${text}` }, 'Remove')
      remove.addEventListener('click', () => this.#showFaults(faults.filter((each) => each !== fault)))
      return element('li', {}, element('span', {}, text), remove)
    })
    this.querySelector('.faults')!.replaceChildren(...items)
  }

  #field(name: string): HTMLInputElement {
    return this.querySelector(`[name=${name}]`)!
  }

  #on(selector: string, event: string, listener: () => void): void {
    this.querySelector(selector)!.addEventListener(event, listener)
  }
}

function faultText({ method, path, times, status, drop, delay }: Fault): string {
  const effect = drop ? `lost ${drop} the work` : delay !== undefined ? `${delay} ms late` : `status ${status}`
  return `${method ?? 'any method'}, ${path ?? 'any path'}: ${effect}, ${times === 1 ? 'once' : `${times} times`}`
}

customElements.define('sandbox-playground', SandboxPlayground)
