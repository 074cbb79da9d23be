import { RunExample } from './example.ts'
import { showHovers } from './hovers.ts'
import { makeScrollableFocusable } from './scrollable.ts'

customElements.define('run-example', RunExample)
showHovers()
makeScrollableFocusable('.sl-markdown-content table, .example-text')
