import type { APIRoute } from 'astro'
import { parts } from '../../site/folders.ts'
import { orderedPages } from '../../site/markdown.ts'

/** An overview for language models, after llmstxt.org: the Markdown of each page. */
export const GET: APIRoute = async () => {
  const pages = await orderedPages()
  const lines = (isInPart: (id: string) => boolean) =>
    pages
      .filter(({ id }) => isInPart(id))
      .map(({ id, data }) => `- [${data.title}](${id}.md): ${data.description ?? ''}\n`)
      .join('')
  const groups = Object.entries(parts).map(
    ([folder, heading]) => `## ${heading}\n\n${lines((id) => id.split('/')[0] === folder)}`,
  )
  const summary = pages.find(({ id }) => id === 'index')?.data.description
  const everything = '- [Everything in one Markdown file](llms-full.txt)\n'
  return new Response(
    [`# shortlink-sdk\n\n> ${summary}\n`, everything + lines((id) => !(id.split('/')[0]! in parts)), ...groups].join(
      '\n',
    ),
  )
}
