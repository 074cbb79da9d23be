import { definePlugin, ExpressiveCodeAnnotation, InlineStyleAnnotation } from '@astrojs/starlight/expressive-code'
import { javascriptLanguage, jsxLanguage, tsxLanguage, typescriptLanguage } from '@codemirror/lang-javascript'
import { highlightTree } from '@lezer/highlight'
import type { Element, Parents } from 'hast'
import { type CodeKind, codeHighlighter, kindOfColor } from './colors.ts'

/** The languages that the editor's parser reads. */
const languages: Record<string, typeof typescriptLanguage> = {
  ts: typescriptLanguage,
  tsx: tsxLanguage,
  js: javascriptLanguage,
  jsx: jsxLanguage,
}

/**
 * Marks what a piece of code is by a class and not by the style attributes that the policy refuses. What the editor can
 * read is marked as it marks it, so that a program looks the same in both.
 */
export const markCode = definePlugin({
  name: 'code-kinds',
  hooks: {
    postprocessAnalyzedCode({ codeBlock }) {
      const { code, language } = codeBlock
      const lines = codeBlock.getLines()
      const found: { line: number; start: number; end: number; kind: CodeKind }[] = []
      for (const [line, each] of lines.entries()) {
        for (const annotation of each.getAnnotations()) {
          if (!(annotation instanceof InlineStyleAnnotation)) continue
          each.deleteAnnotation(annotation)
          const kind = annotation.styleVariantIndex === 0 ? kindOfColor(annotation.color) : undefined
          const { columnStart: start = 0, columnEnd: end = 0 } = annotation.inlineRange ?? {}
          if (kind && !(language in languages)) found.push({ line, start, end, kind })
        }
      }
      if (language in languages) {
        const starts = [0]
        for (const { text } of lines) starts.push(starts.at(-1)! + text.length + 1)
        highlightTree(languages[language]!.parser.parse(code), codeHighlighter, (from, to, names) => {
          // A comment or a template may go over several lines.
          for (const [line, { text }] of lines.entries()) {
            const start = Math.max(0, from - starts[line]!)
            const end = Math.min(text.length, to - starts[line]!)
            if (start < end) found.push({ line, start, end, kind: names.replace('code-', '') as CodeKind })
          }
        })
      }
      for (const { line, start, end, kind } of found) lines[line]!.addAnnotation(new KindAnnotation(kind, start, end))
    },
  },
})

class KindAnnotation extends ExpressiveCodeAnnotation {
  override name = 'code-kind'
  readonly #kind: CodeKind

  constructor(kind: CodeKind, columnStart: number, columnEnd: number) {
    super({ inlineRange: { columnStart, columnEnd }, renderPhase: 'earliest' })
    this.#kind = kind
  }

  override render({ nodesToTransform }: { nodesToTransform: Parents[] }): Parents[] {
    const properties = { className: [`code-${this.#kind}`] }
    return nodesToTransform.map(
      (node) => ({ type: 'element', tagName: 'span', properties, children: [node] }) as Element,
    )
  }
}
