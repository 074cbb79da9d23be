import { readFileSync } from 'node:fs'

/** True where the bundler has inlined the files (`loader` in tsup.config.ts); they are read from disk elsewhere. */
declare const PAGE_IS_INLINED: boolean | undefined

/** The page's own files, as text. */
export const pageFiles: { html: string; css: string; script: string } =
  typeof PAGE_IS_INLINED === 'undefined'
    ? { html: read('sandbox.page.html'), css: read('sandbox.page.css'), script: read('sandbox.page.js') }
    : {
        html: require('./sandbox.page.html'),
        css: require('./sandbox.page.css'),
        // In this package a .js file is an ES module to the bundler, whatever its loader.
        script: require('./sandbox.page.js').default,
      }

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}
