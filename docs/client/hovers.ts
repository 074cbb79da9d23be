import { element } from './element.ts'

/**
 * Shows what TypeScript says about a name in a program: to the mouse, to a finger, and to the keyboard. The Tab key
 * stops once at each program, the arrow keys go from name to name, and Escape closes.
 */
export function showHovers(): void {
  const box = element('div', { id: 'hover', className: 'hover', popover: 'manual', role: 'tooltip' })
  document.body.append(box)
  for (const program of document.querySelectorAll('.example-code')) {
    const [first] = namesIn(program)
    if (first) makeFocusable(first)
  }
  const show = (name: HTMLElement | null) => {
    if (!name) return box.hidePopover()
    const [signature = '', summary] = name.dataset.hover!.split('\n\n')
    box.replaceChildren(element('code', {}, signature))
    if (summary) box.append(element('p', { className: 'hover-text' }, summary))
    if (name.matches(':focus-visible'))
      box.append(element('p', { className: 'hover-text' }, '← → other names, Esc closes'))
    box.showPopover()
    place(box, name)
  }
  // Of a touch, too.
  document.addEventListener('pointerover', ({ target }) => {
    if (target !== box && !box.contains(target as Node)) show(nameAt(target))
  })
  document.addEventListener('focusin', ({ target }) => show(nameAt(target)))
  document.addEventListener('focusout', () => show(null))
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') return show(null)
    const name = nameAt(event.target)
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!name || !step) return
    event.preventDefault()
    const names = namesIn(name.closest('.example-code')!)
    const next = names[names.indexOf(name) + step]
    if (!next) return
    name.removeAttribute('tabindex')
    makeFocusable(next)
    next.focus()
  })
  // A name that gets the focus may have been scrolled to.
  const follow = () => show(box.matches(':popover-open') ? nameAt(document.activeElement) : null)
  document.addEventListener('scroll', follow, { capture: true, passive: true })
}

function nameAt(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('[data-hover]') : null
}

function namesIn(program: Element): HTMLElement[] {
  return [...program.querySelectorAll<HTMLElement>('[data-hover]')]
}

function makeFocusable(name: HTMLElement): void {
  name.tabIndex = 0
  name.setAttribute('aria-describedby', 'hover')
}

/** Moves the box beside a name, so near that the mouse can go over to it. */
function place(box: HTMLElement, name: HTMLElement): void {
  const { left, top, bottom } = name.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  box.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`
  box.style.top = `${top > height + 8 ? top - height : bottom}px`
}
