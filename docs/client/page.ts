import { RunExample } from './example.ts'
import { makeScrollableFocusable } from './scrollable.ts'
import { SiteSearch } from './search.ts'

customElements.define('run-example', RunExample)
customElements.define('site-search', SiteSearch)
makeScrollableFocusable('.sl-markdown-content table')
