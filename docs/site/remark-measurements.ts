import { readFileSync } from 'node:fs'
import type { Root } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

// From docs/, where the site is built: this module is also bundled, and has another address then.
const report = '../test/bench/report/README.md'
const marker = /^<!-- measurements: (.+) -->$/
const parser = unified().use(remarkParse).use(remarkGfm)

/** Puts a table of the benchmarks' report, named by its heading, in the place of a comment, so that no page repeats its numbers. */
export function remarkMeasurements() {
  return (tree: Root) => {
    for (const [index, node] of tree.children.entries()) {
      const heading = node.type === 'html' ? marker.exec(node.value)?.[1] : undefined
      if (heading !== undefined) tree.children[index] = parser.parse(measurements(heading)).children[0]!
    }
  }
}

/** Markdown with those tables in it. */
export function withMeasurements(markdown: string): string {
  return markdown.replaceAll(new RegExp(marker, 'gm'), (_, heading) => measurements(heading))
}

/** The table under a heading of the report. */
function measurements(heading: string): string {
  const section = readFileSync(report, 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`))
  const table = /^\|.*(\n\|.*)*/m.exec(section ?? '')?.[0]
  if (table === undefined) throw new Error(`the report has no table under ${heading}`)
  return table
}
