import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { RewritingStream } from 'parse5-html-rewriting-stream'

interface Document {
  ids: Set<string>
  /** Addresses of `href`. */
  links: string[]
  /** Addresses of what the page loads. */
  resources: string[]
}

/** The HTML files of the built site, by their path below its folder. */
export async function htmlFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  return names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.html'))
    .sort()
}

/** Links of the built site that lead to no page, no file or no heading, and what is loaded from other servers. */
export async function brokenLinks(folder: string): Promise<string[]> {
  const files = new Set((await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/')))
  const pages = new Map<string, Document>()
  for (const name of files) {
    // Drawings have parts with names.
    if (/\.(html|svg)$/.test(name)) pages.set(name, await read(join(folder, name)))
  }
  const broken: string[] = []
  for (const [name, { links, resources }] of pages) {
    // It stands at any address, and leads up from there.
    if (name === '404.html') continue
    for (const address of resources) {
      if (/^(https?:)?\/\//.test(address)) broken.push(`${name} loads ${address}`)
    }
    for (const address of [...links, ...resources]) {
      if (/^(https?:)?\/\/|^(mailto|data):/.test(address)) continue
      const [path = '', anchor = ''] = address.split('#')
      const joined = path === '' ? name : posix.join(posix.dirname(name), path)
      const target = joined.endsWith('/') || joined === '.' ? posix.join(joined, 'index.html') : joined
      if (address.startsWith('/')) broken.push(`${name}: ${address} leads out of the site's folder`)
      else if (!files.has(target)) broken.push(`${name}: there is no ${address}`)
      else if (anchor && !pages.get(target)?.ids.has(decodeURIComponent(anchor)))
        broken.push(`${name}: there is no heading ${address}`)
    }
  }
  return broken
}

async function read(path: string): Promise<Document> {
  const document: Document = { ids: new Set(), links: [], resources: [] }
  const stream = new RewritingStream()
  stream.on('startTag', ({ tagName, attrs }) => {
    for (const { name, value } of attrs) {
      if (name === 'id') document.ids.add(value)
      else if (name === 'href' && tagName === 'a') document.links.push(value)
      else if (name === 'href' || name === 'src') document.resources.push(value)
    }
  })
  const ended = new Promise((resolve) => stream.on('end', resolve))
  stream.resume()
  stream.end(await readFile(path, 'utf8'))
  await ended
  return document
}
