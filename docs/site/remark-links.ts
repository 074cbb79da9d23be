import { existsSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import type { Definition, Link, Parent, Root } from 'mdast'
import type { VFile } from 'vfile'
import { contentFolder } from './folders.ts'

/** Makes links to the Markdown of other pages, which also work in a repository's view, lead to those pages. */
export function remarkLinks() {
  return (tree: Root, file: VFile) => visit(tree, file)
}

function visit(node: Parent | Link | Definition, file: VFile): void {
  if ((node.type === 'link' || node.type === 'definition') && 'url' in node) node.url = pageAddress(node.url, file)
  if ('children' in node) for (const child of node.children) visit(child as Parent, file)
}

function pageAddress(url: string, file: VFile): string {
  const [, path, anchor = ''] = /^([^#:]+\.mdx?)(#.*)?$/.exec(url) ?? []
  if (path === undefined) return url
  const target = resolve(dirname(file.path), path)
  if (!existsSync(target)) throw new Error(`${file.path}: there is no ${path}`)
  return `/${pageRoute(relative(contentFolder, target))}${anchor}`
}

/** The address of a page from the name of its Markdown, without the slash in front: `guides/lists/`. */
export function pageRoute(name: string): string {
  const route = name
    .replaceAll('\\', '/')
    .replace(/\.mdx?$/, '')
    .replace(/(^|\/)index$/, '')
  return route && `${route.toLowerCase()}/`
}
