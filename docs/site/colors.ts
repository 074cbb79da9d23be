/** The colours of code, the same in a page's code and in its editor. */
export const codeColors = {
  light: {
    background: '#f6f6f9',
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

/** A theme for the code of pages. */
export function codeTheme(type: 'light' | 'dark') {
  const { background, text, comment, keyword, string, number } = codeColors[type]
  const scopes: [string, string[]][] = [
    [comment, ['comment']],
    [string, ['string', 'punctuation.definition.string', 'string.regexp']],
    [number, ['constant.numeric']],
    [keyword, ['keyword', 'storage', 'constant.language', 'support.type.primitive', 'variable.language.this']],
    // The editor takes operators for punctuation.
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
