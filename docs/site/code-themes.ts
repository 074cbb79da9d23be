interface Kind {
  scope: string[]
  dark: string
  light: string
}

/** What pages color in a program. example.css has the same colors for the editor. */
const kinds: Kind[] = [
  { scope: ['comment'], dark: '#919f9f', light: '#5f636f' },
  { scope: ['string', 'constant.character.escape'], dark: '#ecc48d', light: '#984e4d' },
  { scope: ['constant.numeric'], dark: '#f78c6c', light: '#aa0982' },
  {
    scope: [
      ...['keyword', 'keyword.operator.new', 'keyword.operator.expression', 'storage'],
      ...['constant.language', 'variable.language', 'entity.name.tag', 'support.type.property-name'],
    ],
    dark: '#c792ea',
    light: '#8844ae',
  },
]
const background = { dark: '#23262f', light: '#f6f7f9' }
const foreground = { dark: '#d6deeb', light: '#403f53' }
// Adjacent tokens of one color are one element, so operators have the color of names.
const plain: Kind = { scope: ['keyword.operator', 'storage.type.function.arrow'], ...foreground }

/** The themes of code on a dark and on a light page. Each color takes room in every page, so they are few. */
export const codeThemes = (['dark', 'light'] as const).map((type) => ({
  name: `site-${type}`,
  type,
  colors: { 'editor.background': background[type], 'editor.foreground': foreground[type] },
  settings: [plain, ...kinds].map((kind) => ({ scope: kind.scope, settings: { foreground: kind[type] } })),
}))
