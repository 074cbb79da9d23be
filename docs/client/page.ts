import { RunExample } from './example.ts'

customElements.define('run-example', RunExample)

// The keyboard reaches what is larger than its place, so that the arrow keys can scroll it.
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = target
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})
for (const found of document.querySelectorAll('.sl-markdown-content table, .example-text')) observer.observe(found)
