import type { APIRoute } from 'astro'
import { parts } from '../../site/folders.ts'
import { orderedPages } from '../../site/markdown-of-everything.ts'

/** An overview for language models, after llmstxt.org. */
export const GET: APIRoute = async () => {
  const pages = await orderedPages()
  const summary = pages.find(({ id }) => id === 'index')?.data.description
  const groups = Object.entries(parts).map(([folder, heading]) => {
    const lines = pages
      .filter(({ id }) => id.startsWith(`${folder}/`))
      .map(({ id, data }) => `- [${data.title}](${id}/)${data.description ? `: ${data.description}` : ''}`)
    return `## ${heading}\n\n${lines.join('\n')}\n`
  })
  const everything = '- [Everything in one Markdown file](llms-full.txt)\n'
  return new Response([`# shortlink-sdk\n\n> ${summary}\n`, everything, ...groups].join('\n'))
}
