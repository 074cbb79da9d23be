import type { APIRoute } from 'astro'
import { markdownFromRoot, orderedPages } from '../../site/markdown.ts'

/** Every page in one Markdown file. */
export const GET: APIRoute = async () => new Response((await orderedPages()).map(markdownFromRoot).join('\n'))
