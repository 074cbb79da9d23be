import { type CollectionEntry, getCollection } from 'astro:content'
import { posix } from 'node:path'
import { parts } from './folders.ts'

const folders = ['', ...Object.keys(parts)]

/** The pages in the order of the sidebar. */
export async function orderedPages(): Promise<CollectionEntry<'docs'>[]> {
  const rank = ({ id }: CollectionEntry<'docs'>) => Math.max(0, folders.indexOf(id.split('/')[0]!))
  const order = ({ data }: CollectionEntry<'docs'>) => data.sidebar.order ?? Number.MAX_SAFE_INTEGER
  const pages = await getCollection('docs')
  return pages.sort((a, b) => rank(a) - rank(b) || order(a) - order(b) || a.id.localeCompare(b.id))
}

/**
 * A page as Markdown, with its title and with fences that have only a language. It stands at `<id>.md`, beside the HTML
 * page, so its links to other pages, which name their Markdown, lead to other copies.
 */
export function markdownOf(page: CollectionEntry<'docs'>): string {
  return markdownFrom(posix.dirname(page.id), page)
}

/** The same, with links that lead from the folder of the site. */
export function markdownFromRoot(page: CollectionEntry<'docs'>): string {
  return markdownFrom('.', page)
}

/** A page as Markdown, whose links lead from a folder of the site. */
function markdownFrom(folder: string, { id, data, body = '', filePath }: CollectionEntry<'docs'>): string {
  // The first page of a folder has the name of that folder.
  const source = filePath?.endsWith(`/${id}/index.md`) ? id : posix.dirname(id)
  const rebased = (_: string, path: string) =>
    `](${posix.relative(folder, path.startsWith('/') ? path.slice(1) : posix.join(source, path))}`
  const text = body.replaceAll(/^(```\w+) .*$/gm, '$1').replaceAll(/\]\(([^)#:]+\.\w+)/g, rebased)
  return `# ${data.title}\n\n${data.description ?? ''}\n\n${text.trim()}\n`
}
