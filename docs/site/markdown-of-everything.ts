import { type CollectionEntry, getCollection } from 'astro:content'
import { posix } from 'node:path'
import { parts } from './folders.ts'
import { pageRoute } from './remark-links.ts'

const folders = ['', ...Object.keys(parts)]

/** The pages in the order of the sidebar. */
export async function orderedPages(): Promise<CollectionEntry<'docs'>[]> {
  const rank = ({ id }: CollectionEntry<'docs'>) =>
    folders.indexOf(id.includes('/') ? id.slice(0, id.indexOf('/')) : '')
  const order = ({ data }: CollectionEntry<'docs'>) => data.sidebar.order ?? Number.MAX_SAFE_INTEGER
  const pages = await getCollection('docs')
  return pages.sort((a, b) => rank(a) - rank(b) || order(a) - order(b) || a.id.localeCompare(b.id))
}

/** A page as Markdown whose links lead from the folder of the site, and whose fences have only a language. */
export function markdownOf({ id, data, body = '', filePath = '' }: CollectionEntry<'docs'>): string {
  const folder = posix.dirname(filePath.replace(/^.*?src\/content\/docs\//, ''))
  const text = body
    .split(/^(```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith('```')
        ? part.replace(/^```(\w+) .*$/m, '```$1')
        : part.replaceAll(/\]\(([^)#:]+\.mdx?)(#[^)]*)?\)/g, (_, path, anchor = '') => {
            return `](${pageRoute(posix.join(folder, path)) || './'}${anchor})`
          }),
    )
    .join('')
  return `# ${data.title}\n\nPage: ${id === 'index' ? './' : `${id}/`}\n\n${text.trim()}\n`
}
