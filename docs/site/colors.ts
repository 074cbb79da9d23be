import { tagHighlighter, tags } from '@lezer/highlight'

/** The colours of code, the same in a page's code and in its editor. */
export const codeColors = {
  light: {
    background: '#f6f7f9',
    text: '#23262f',
    comment: '#5b6170',
    keyword: '#7a2fa0',
    string: '#8f3a1d',
    number: '#0b6b61',
  },
  dark: {
    background: '#23262f',
    text: '#e6e9f0',
    comment: '#a3abbd',
    keyword: '#c9a3f5',
    string: '#f0c38a',
    number: '#8fe0d2',
  },
}

/** The measures of code, the same in a page's code and in its editor. */
export const codeMeasures = { size: '0.84rem', lineHeight: '1.75', paddingBlock: '0.75rem', paddingInline: '1rem' }

/** What has another colour than the text. */
export const codeKinds = ['comment', 'keyword', 'string', 'number'] as const
export type CodeKind = (typeof codeKinds)[number]

/** The colours as variables, and as classes of what has another one than the text. */
export function codeStyles(): string {
  const rule = (selector: string, colors: Record<string, string>) =>
    `${selector} { ${Object.entries(colors)
      .map(([name, color]) => `--code-${name}: ${color};`)
      .join(' ')} }\n`
  const classes = codeKinds.map((name) => `.code-${name} { color: var(--code-${name}); }\n`)
  return rule(':root', codeColors.dark) + rule(":root[data-theme='light']", codeColors.light) + classes.join('')
}

/** What has a colour of the dark theme; undefined if it is that of the text. */
export function kindOfColor(color: string | undefined): CodeKind | undefined {
  return codeKinds.find((kind) => codeColors.dark[kind] === color?.toLowerCase())
}

/** A theme for the code that the editor's parser does not read. */
export function codeTheme(type: 'light' | 'dark') {
  const { background, text, comment, keyword, string, number } = codeColors[type]
  const scopes: [string, string[]][] = [
    [comment, ['comment']],
    [string, ['string', 'punctuation.definition.string', 'string.regexp']],
    [number, ['constant.numeric']],
    [keyword, ['keyword', 'storage', 'constant.language', 'support.type.primitive', 'variable.language.this']],
    [text, ['keyword.operator', 'storage.type.function.arrow', 'string meta.template.expression']],
    [keyword, ['keyword.operator.new', 'keyword.operator.expression']],
  ]
  return {
    name: `code-${type}`,
    type,
    colors: { 'editor.background': background, 'editor.foreground': text },
    tokenColors: scopes.map(([foreground, scope]) => ({ scope, settings: { foreground } })),
  }
}

/** The kinds of words of the editor, as class names. */
export const codeHighlighter = tagHighlighter([
  { tag: tags.comment, class: 'code-comment' },
  { tag: [tags.string, tags.regexp, tags.escape], class: 'code-string' },
  { tag: tags.number, class: 'code-number' },
  { tag: [tags.keyword, tags.bool, tags.null, tags.self], class: 'code-keyword' },
])
