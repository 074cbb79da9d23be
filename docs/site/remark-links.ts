import { dirname, relative, resolve } from 'node:path'
import type { Definition, Link, Parent, Root } from 'mdast'
import type { VFile } from 'vfile'
import { contentFolder } from './folders.ts'

/**
 * Makes links to the Markdown of other pages, which also work in a repository's view, lead to those pages, in the
 * folder that the site is built for. The links validator finds those that lead nowhere.
 */
export function remarkLinks(base: string) {
  return (tree: Root, file: VFile) => visit(tree, file.path)

  function visit(node: Parent | Link | Definition, from: string): void {
    if ((node.type === 'link' || node.type === 'definition') && 'url' in node) node.url = pageAddress(node.url, from)
    if ('children' in node) for (const child of node.children) visit(child as Parent, from)
  }

  function pageAddress(url: string, from: string): string {
    if (url.startsWith('/')) return base + url.slice(1)
    const [, path, anchor = ''] = /^([^#:]+)\.md(#.*)?$/.exec(url) ?? []
    if (path === undefined) return url
    const route = relative(contentFolder, resolve(dirname(from), path)).replaceAll('\\', '/')
    return base + `${route}/`.replace(/(^|\/)index\/$/, '$1') + anchor
  }
}
