import { RunExample } from './example.ts'
import { SiteSearch } from './search.ts'

customElements.define('run-example', RunExample)
customElements.define('site-search', SiteSearch)
