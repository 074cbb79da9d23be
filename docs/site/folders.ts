import { fileURLToPath } from 'node:url'

/** The folder of the documentation. */
export const docs = fileURLToPath(new URL('..', import.meta.url))
/** The repository, which has both packages. */
export const root = fileURLToPath(new URL('../..', import.meta.url))
/** What the pages load to run examples. */
export const runFolder = `${docs}public/run`
/** The Markdown of the pages. */
export const contentFolder = `${docs}src/content/docs`
/** The folders of pages with their headings, in the order of the sidebar. */
export const parts = {
  start: 'Start',
  recipes: 'Recipes',
  guides: 'Guides',
  frameworks: 'Frameworks',
  command: 'The command',
  api: 'API',
}
