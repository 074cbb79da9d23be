import { type CollectionEntry, getCollection } from 'astro:content'
import { posix } from 'node:path'
import { parts } from './folders.ts'

const folders = ['', ...Object.keys(parts)]

/** The pages in the order of the sidebar. */
export async function orderedPages(): Promise<CollectionEntry<'docs'>[]> {
  const rank = ({ id }: CollectionEntry<'docs'>) =>
    folders.indexOf(id.includes('/') ? id.slice(0, id.indexOf('/')) : '')
  const order = ({ data }: CollectionEntry<'docs'>) => data.sidebar.order ?? Number.MAX_SAFE_INTEGER
  const pages = await getCollection('docs')
  return pages.sort((a, b) => rank(a) - rank(b) || order(a) - order(b) || a.id.localeCompare(b.id))
}

/**
 * A page as Markdown, with its title and with fences that have only a language. It stands at `<id>.md`, beside the HTML page,
 * so its links to other pages, which name their Markdown, lead to other copies.
 */
export function markdownOf({ id, data, body = '' }: CollectionEntry<'docs'>): string {
  const root = posix.relative(posix.dirname(id), '.')
  const text = body.replaceAll(/^(```\w+) .*$/gm, '$1').replaceAll('](/', `](${root && `${root}/`}`)
  return `# ${data.title}\n\n${data.description ?? ''}\n\n${text.trim()}\n`
}

/** The same, with links that lead from the folder of the site. */
export function markdownFromRoot(page: CollectionEntry<'docs'>): string {
  const rebased = (_: string, path: string) => `](${posix.join(posix.dirname(page.id), path)}`
  return markdownOf(page).replaceAll(/\]\(([^)#:]+\.\w+)/g, rebased)
}
