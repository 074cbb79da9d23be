/** Lets the keyboard reach what is larger than its place, so that the arrow keys can scroll it. */
export function makeScrollableFocusable(selector: string): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = target
      if (scrollWidth > clientWidth || scrollHeight > clientHeight) target.setAttribute('tabindex', '0')
      else target.removeAttribute('tabindex')
    }
  })
  for (const found of document.querySelectorAll(selector)) observer.observe(found)
}
