import type MiniSearch from 'minisearch'
import { element } from './element.ts'
import { createIndex, find, type Section } from './search-index.ts'

const maxResults = 30

/** The search dialog. Its index is loaded when it is first opened, and built in the page. */
export class SiteSearch extends HTMLElement {
  #index: Promise<MiniSearch<Section>> | undefined

  connectedCallback(): void {
    const dialog = this.querySelector('dialog')!
    const input = this.querySelector('input')!
    const open = () => {
      if (dialog.open) return
      dialog.showModal()
      input.select()
      void this.#load()
    }
    this.querySelector('.search-open')!.addEventListener('click', open)
    this.querySelector('.search-close')!.addEventListener('click', () => dialog.close())
    dialog.addEventListener('click', (event) => {
      // The backdrop is part of the dialog; a result leads away, or to another place of this page.
      const target = event.target as Element
      if (target === dialog || target.closest('a')) dialog.close()
    })
    input.addEventListener('input', () => void this.#show(input.value))
    this.addEventListener('keydown', (event) => this.#move(event))
    document.addEventListener('keydown', (event) => {
      const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      const isTyping = (event.target as Element).closest('input, textarea, select, [contenteditable]') !== null
      if (!isShortcut && (event.key !== '/' || isTyping)) return
      event.preventDefault()
      open()
    })
  }

  #load(): Promise<MiniSearch<Section>> {
    this.#index ??= (async () => {
      const response = await fetch(`${this.dataset.base}search.json`)
      return createIndex(await response.json())
    })()
    return this.#index
  }

  async #show(query: string): Promise<void> {
    const list = this.querySelector('.search-results')!
    const status = this.querySelector('.search-status')!
    const index = await this.#load()
    // Another letter may have been typed meanwhile.
    if (query !== this.querySelector('input')!.value) return
    const results = query.trim() === '' ? [] : find(index, query).slice(0, maxResults)
    const count =
      results.length === maxResults
        ? `The first ${maxResults} results`
        : `${results.length} ${results.length === 1 ? 'result' : 'results'}`
    status.textContent = query.trim() === '' ? '' : count
    list.replaceChildren(
      ...results.map(({ address, page, heading, text, terms }) =>
        element(
          'li',
          {},
          element(
            'a',
            { href: this.dataset.base + address },
            element('span', { className: 'search-title' }, ...marked(heading, terms)),
            element('span', { className: 'search-page' }, heading === page ? '' : page),
            element('span', { className: 'search-excerpt' }, ...marked(excerpt(text, terms), terms)),
          ),
        ),
      ),
    )
  }

  /** Moves between the field and the results with the arrow keys. */
  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const results = [...this.querySelectorAll<HTMLElement>('.search-results a')]
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement) results[0]?.click()
    if (step === undefined || results.length === 0) return
    event.preventDefault()
    const stops = [this.querySelector('input')!, ...results]
    const now = stops.indexOf(document.activeElement as HTMLElement)
    stops[Math.min(Math.max(now + step, 0), stops.length - 1)]?.focus()
  }
}

function pattern(terms: readonly string[]): RegExp {
  return new RegExp(`(${terms.map((term) => term.replaceAll(/\W/g, '\\$&')).join('|')})`, 'i')
}

/** The text around the first term. */
function excerpt(text: string, terms: readonly string[]): string {
  const at = Math.max(0, text.search(pattern(terms)))
  const start = at < 60 ? 0 : text.indexOf(' ', at - 60) + 1
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + 160)}${start + 160 < text.length ? ' …' : ''}`
}

function marked(text: string, terms: readonly string[]): (Node | string)[] {
  return text.split(pattern(terms)).map((part, index) => (index % 2 === 1 ? element('mark', {}, part) : part))
}
