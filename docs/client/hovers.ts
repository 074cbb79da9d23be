import { element } from './element.ts'

/** Shows what TypeScript says about the name in a program that the mouse is over. */
export function showHovers(): void {
  const box = element('div', { className: 'hover', popover: 'manual' })
  document.body.append(box)
  document.addEventListener('mouseover', ({ target }) => {
    const name = target instanceof Element ? target.closest<HTMLElement>('[data-hover]') : null
    if (!name) return box.hidePopover()
    const [signature = '', summary] = name.dataset.hover!.split('\n\n')
    box.replaceChildren(element('code', {}, signature))
    if (summary) box.append(element('p', { className: 'hover-summary' }, summary))
    box.showPopover()
    const { left, top, bottom } = name.getBoundingClientRect()
    const { width, height } = box.getBoundingClientRect()
    box.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`
    box.style.top = `${top > height + 8 ? top - height - 6 : bottom + 6}px`
  })
  document.addEventListener('scroll', () => box.hidePopover(), { capture: true, passive: true })
}
