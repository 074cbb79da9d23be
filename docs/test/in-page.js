/*
 * What the tests do inside a page. It is put into every page before the page's own scripts, from outside of its policy.
 */
globalThis.siteTest = {
  violations: [],

  /** Runs every example of the page at once, and says what each printed and how it ended. */
  async runExamples() {
    const examples = [...document.querySelectorAll('run-example')]
    const expected = examples.map((example) => example.querySelector('.example-text').textContent)
    for (const example of examples) example.querySelector('.example-run').click()
    return await Promise.all(
      examples.map(async (example, index) => {
        await this.ended(example)
        return {
          line: example.dataset.line,
          expected: expected[index],
          printed: example.querySelector('.example-text').textContent,
          status: example.querySelector('.example-status').textContent,
        }
      }),
    )
  },

  /** Resolves when an element that shows a run says that it has ended. */
  ended(element) {
    return new Promise((resolve) => {
      const observer = new MutationObserver(check)
      observer.observe(element, { attributeFilter: ['data-state'] })
      check()
      function check() {
        if (element.dataset.state !== 'ended') return
        observer.disconnect()
        resolve()
      }
    })
  },

  setTheme(theme) {
    document.documentElement.dataset.theme = theme
  },

  /** Every visible piece of the first example's code with its colour. */
  codeColors() {
    const lines = document.querySelector('.editor-frame')?.shadowRoot.querySelectorAll('.cm-line')
    const pieces = []
    for (const line of lines ?? document.querySelectorAll('run-example:first-of-type .ec-line .code')) {
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const { color } = getComputedStyle(walker.currentNode.parentElement)
        for (const letter of walker.currentNode.data.replaceAll(/\s/g, '')) pieces.push(`${letter} ${color}`)
      }
    }
    return pieces.join('\n')
  },

  /** Opens what the results of runs keep folded. */
  openDetails() {
    for (const details of document.querySelectorAll('main details')) details.open = true
  },

  /** Elements that make the page wider than the window. */
  overflow() {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const wide = [...document.querySelectorAll('main *')].filter(
      (element) => element.getBoundingClientRect().right > clientWidth + 1,
    )
    return [
      `${scrollWidth} px in ${clientWidth} px`,
      ...wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 120)),
    ]
  },

  /** Resolves when all observers of sizes have been told, as this new one is the last of them. */
  resized() {
    return new Promise((resolve) => {
      const observer = new ResizeObserver(() => {
        observer.disconnect()
        resolve()
      })
      observer.observe(document.documentElement)
    })
  },

  /** Violations of the accessibility rules of WCAG 2, levels A and AA. */
  async axe() {
    // What has just begun to scroll is made focusable by an observer.
    await this.resized()
    // Transitions of colors would be measured half-way.
    for (const animation of document.getAnimations()) animation.finish()
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    const { violations } = await globalThis.axe.run(document, { runOnly: tags, resultTypes: ['violations'] })
    return violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html.slice(0, 120))
          .slice(0, 3)
          .join(' ; ')}`,
    )
  },
}

document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile }) => {
  globalThis.siteTest.violations.push(`${violatedDirective} ${blockedURI} in ${sourceFile}`)
})
