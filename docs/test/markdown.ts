import { access, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { htmlFiles } from './links.ts'

/** Pages of the built site without a copy as Markdown that llms.txt links to, and what is wrong in the copies. */
export async function markdownProblems(folder: string): Promise<string[]> {
  const withoutCopy = ['404.html', 'playground/index.html']
  const pages = (await htmlFiles(folder)).filter((name) => !withoutCopy.includes(name))
  const copies = pages.map((name) => (name === 'index.html' ? 'index.md' : name.replace(/\/index\.html$/, '.md')))
  const problems = copies.length > 40 ? [] : [`only ${copies.length} pages`]
  const texts = new Map<string, string>()
  for (const name of [...copies, 'llms.txt', 'llms-full.txt']) {
    const text = await readFile(folder + name, 'utf8').catch(() => undefined)
    if (text === undefined) problems.push(`there is no ${name}`)
    else texts.set(name, text)
  }

  for (const [name, text] of texts) {
    const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
    const links = [...prose.matchAll(/\]\((?!https?:)([^)#:]+)/g)].map(([, path = '']) =>
      posix.join(posix.dirname(name), path),
    )
    for (const path of links) {
      await access(folder + path).catch(() => problems.push(`${name}: there is no ${path}`))
    }
    if (name === 'llms.txt')
      problems.push(...copies.filter((copy) => !links.includes(copy)).map((copy) => `llms.txt: no link to ${copy}`))
    if (/^<!--|^```\w+ /m.test(text)) problems.push(`${name}: has instructions for the site`)
  }
  return problems
}
