import { readFileSync } from 'node:fs'

/** Defined by tsup.config.ts, whose `loader` inlines the files. From source they are read from disk. */
declare const PAGE_IS_INLINED: boolean | undefined

/** The page's own files, as text. */
export const pageFiles: { html: string; css: string; script: string } =
  typeof PAGE_IS_INLINED === 'undefined'
    ? { html: read('sandbox.page.html'), css: read('sandbox.page.css'), script: read('sandbox.page.js') }
    : {
        html: require('./sandbox.page.html'),
        css: require('./sandbox.page.css'),
        // The bundler treats every .js file of this package as an ES module, even one loaded as text.
        script: require('./sandbox.page.js').default,
      }

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}
