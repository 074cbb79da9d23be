import { RunExample } from './example.ts'
import { showHovers } from './hovers.ts'
import { makeScrollableFocusable } from './scrollable.ts'
import { SiteSearch } from './search.ts'

customElements.define('run-example', RunExample)
customElements.define('site-search', SiteSearch)
showHovers()
makeScrollableFocusable('.sl-markdown-content table, .example-text')
