import { readFileSync } from 'node:fs'
import type { Root } from 'mdast'
import { toString as textOf } from 'mdast-util-to-string'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import type { VFile } from 'vfile'

const report = new URL('../../test/bench/report/README.md', import.meta.url)
const marker = /^<!-- measurements: (.+) -->$/

/** Puts a table of the benchmarks' report, named by its heading, in the place of a comment, so that no page repeats its numbers. */
export function remarkMeasurements() {
  return (tree: Root, file: VFile) => {
    for (const [index, node] of tree.children.entries()) {
      const heading = node.type === 'html' ? marker.exec(node.value)?.[1] : undefined
      if (heading === undefined) continue
      const { children } = unified().use(remarkParse).use(remarkGfm).parse(readFileSync(report, 'utf8'))
      const start = children.findIndex((each) => each.type === 'heading' && textOf(each) === heading)
      const table = children.slice(start).find(({ type }) => type === 'table')
      if (start < 0 || !table) throw new Error(`${file.path}: the report has no table under ${heading}`)
      tree.children[index] = table
    }
  }
}
