import { getCollection } from 'astro:content'
import type { APIRoute } from 'astro'
import { sections } from '../../site/sections.ts'

/** What the search looks through: every page, cut at its headings. */
export const GET: APIRoute = async () => {
  const pages = await getCollection('docs')
  return Response.json(pages.flatMap(sections).map((section, id) => ({ id, ...section })))
}
