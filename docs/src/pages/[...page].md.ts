import type { CollectionEntry } from 'astro:content'
import type { APIRoute, GetStaticPaths } from 'astro'
import { markdownOf, orderedPages } from '../../site/markdown.ts'

type Page = CollectionEntry<'docs'>

export const getStaticPaths = (async () =>
  (await orderedPages()).map((page) => ({ params: { page: page.id }, props: { page } }))) satisfies GetStaticPaths

/** A copy of each page as Markdown, beside it. */
export const GET: APIRoute<{ page: Page }> = ({ props }) => new Response(markdownOf(props.page))
