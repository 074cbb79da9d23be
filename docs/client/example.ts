import { Panel } from './panel.ts'

/** An example of a page: the code, its buttons, and below them what it prints. */
export class RunExample extends HTMLElement {
  #panel: Panel | undefined
  #editor: import('./editor.ts').Editor | undefined

  connectedCallback(): void {
    this.#button('run').addEventListener('click', () => void this.#runOrStop())
    this.#button('edit').addEventListener('click', () => void this.#edit())
  }

  #button(name: 'run' | 'edit'): HTMLButtonElement {
    return this.querySelector<HTMLButtonElement>(`.example-${name}`)!
  }

  async #runOrStop(): Promise<void> {
    if (this.#panel?.isRunning) return this.#panel.stop()
    this.#panel ??= new Panel(this.querySelector('.example-status')!, this.querySelector('.example-output')!)
    const button = this.#button('run')
    button.textContent = 'Stop'
    this.dataset.state = 'running'
    try {
      const js = this.#editor ? await this.#editor.javascript() : this.dataset.js!
      await this.#panel.run({ js, options: JSON.parse(this.dataset.options!) })
    } finally {
      button.textContent = 'Run'
      this.dataset.state = 'ended'
    }
  }

  async #edit(): Promise<void> {
    const button = this.#button('edit')
    const status = this.querySelector('.example-status')!
    button.disabled = true
    status.textContent = 'Loading the editor…'
    const { createEditor } = await import('./editor.ts')
    const place = this.querySelector<HTMLElement>('.example-code')!
    this.#editor = createEditor(place)
    status.textContent = ''
    button.hidden = true
    this.#editor.focus()
  }
}
