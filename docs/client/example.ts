import type { Editor } from './editor.ts'
import { programIn } from './element.ts'
import { Panel } from './panel.ts'

/** An example of a page: the program, its buttons, and below them what it prints. */
export class RunExample extends HTMLElement {
  #panel: Panel | undefined
  #editor: Editor | undefined

  connectedCallback(): void {
    const edit = this.querySelector<HTMLButtonElement>('.example-edit')!
    edit.addEventListener('click', () => void this.#edit(edit))
    this.querySelector('.example-run')!.addEventListener('click', () => {
      this.#panel ??= new Panel(this)
      if (this.#panel.stop()) return
      void this.#panel.run({ code: this.#editor?.code ?? programIn(this), options: JSON.parse(this.dataset.options!) })
    })
  }

  async #edit(button: HTMLButtonElement): Promise<void> {
    const status = this.querySelector('.example-status')!
    button.disabled = true
    status.textContent = 'Loading the editor…'
    const { createEditor } = await import('./editor.ts')
    this.#editor = createEditor(this.querySelector<HTMLElement>('.example-code')!)
    status.textContent = ''
    button.hidden = true
    this.#editor.focus()
  }
}
