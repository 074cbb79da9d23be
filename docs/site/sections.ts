import type { CollectionEntry } from 'astro:content'
import Slugger from 'github-slugger'
import type { RootContent } from 'mdast'
import { toString as textOf } from 'mdast-util-to-string'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import type { Section } from '../client/search-index.ts'

const parser = unified().use(remarkParse).use(remarkGfm)

/** The parts of a page, one for each heading and, under the title, one for what stands before the first. */
export function sections({ id, data, body = '' }: CollectionEntry<'docs'>): Omit<Section, 'id'>[] {
  const route = id === 'index' ? '' : `${id}/`
  const slugger = new Slugger()
  const found: Omit<Section, 'id'>[] = [
    { address: route, page: data.title, heading: data.title, text: data.description ?? '', keywords: data.keywords },
  ]
  for (const node of parser.parse(body).children) {
    const text = textOf(node)
    if (node.type === 'heading')
      found.push({ address: `${route}#${slugger.slug(text)}`, page: data.title, heading: text, text: '' })
    else found.at(-1)!.text += ` ${words(node)}`
  }
  return found
}

/** The text of a node, with a space between its parts: cells and items are words of their own. */
function words(node: RootContent): string {
  const isBlock = ['table', 'tableRow', 'list', 'listItem', 'blockquote'].includes(node.type)
  if (isBlock && 'children' in node) return node.children.map(words).join(' ')
  return node.type === 'html' ? '' : textOf(node).replaceAll(/\s+/g, ' ')
}
