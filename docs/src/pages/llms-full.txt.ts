import type { APIRoute } from 'astro'
import { markdownOf, orderedPages } from '../../site/markdown-of-everything.ts'

/** Every page in one Markdown file. */
export const GET: APIRoute = async () => new Response((await orderedPages()).map(markdownOf).join('\n'))
