import { definePlugin, ExpressiveCodeAnnotation } from '@astrojs/starlight/expressive-code'
import { typescriptLanguage } from '@codemirror/lang-javascript'
import {type Element, type Parents} from 'hast'
import { LanguageService } from '../client/language-service.ts'
import { declarations } from './client-files.ts'

/** What has a declaration to show. */
const names = ['VariableName', 'VariableDefinition', 'PropertyName', 'TypeName']
const path = '/program.ts'

let service: Promise<LanguageService> | undefined

/** Gives the names in programs that run what TypeScript says about them, for `client/hovers.ts` to show. */
export const hovers = definePlugin({
  name: 'hovers',
  hooks: {
    async annotateCode({ codeBlock }) {
      if (!codeBlock.metaOptions.getBoolean('hovers')) return
      service ??= declarations().then((files) => new LanguageService(files))
      const typescript = await service
      typescript.update(path, codeBlock.code)
      const tree = typescriptLanguage.parser.parse(codeBlock.code)
      let start = 0
      for (const line of codeBlock.getLines()) {
        const end = start + line.text.length
        tree.iterate({
          from: start,
          to: end,
          enter: ({ name, from, to }) => {
            if (!names.includes(name) || from < start || to > end) return
            const found = typescript.hover(path, from)
            if (!found) return
            const [summary = ''] = found.documentation.split('\n\n')
            const text = summary ? `${found.signature}\n\n${summary.replaceAll(/\s+/g, ' ')}` : found.signature
            line.addAnnotation(new HoverAnnotation(text, from - start, to - start))
          },
        })
        start = end + 1
      }
    },
  },
})

class HoverAnnotation extends ExpressiveCodeAnnotation {
  override name = 'hover'
  readonly #text: string

  constructor(text: string, columnStart: number, columnEnd: number) {
    super({ inlineRange: { columnStart, columnEnd } })
    this.#text = text
  }

  override render({ nodesToTransform }: { nodesToTransform: Parents[] }): Parents[] {
    const properties = { 'data-hover': this.#text }
    return nodesToTransform.map(
      (node) => ({ type: 'element', tagName: 'span', properties, children: [node] }) as Element,
    )
  }
}
