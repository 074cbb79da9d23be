import { EditorView } from '@codemirror/view'
import { codeKinds, codeMeasures } from '../site/colors.ts'

const box = {
  border: '1px solid var(--sl-color-gray-5)',
  borderRadius: '0.4rem',
  backgroundColor: 'var(--sl-color-bg-nav)',
  color: 'var(--sl-color-white)',
  boxShadow: 'var(--sl-shadow-md)',
}
const font = 'var(--__sl-font-mono)'
const selection = 'color-mix(in srgb, var(--sl-color-accent) 40%, transparent)'

/** The look of a page's code, so that nothing moves when it takes the code's place. */
export const editorLook = EditorView.theme({
  '&': { maxHeight: '35rem', backgroundColor: 'var(--code-background)', color: 'var(--code-text)' },
  '&.cm-focused': { outline: '2px solid var(--sl-color-text-accent)', outlineOffset: '-2px' },
  '.cm-scroller': {
    overflow: 'auto',
    fontFamily: font,
    fontSize: codeMeasures.size,
    lineHeight: codeMeasures.lineHeight,
  },
  '.cm-content': { padding: `${codeMeasures.paddingBlock} 0`, caretColor: 'var(--code-text)' },
  '.cm-line': { padding: `0 ${codeMeasures.paddingInline}` },
  '.cm-cursor': { borderLeftColor: 'var(--code-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: selection,
  },
  '.cm-selectionMatch, &.cm-focused .cm-matchingBracket': { backgroundColor: selection },
  '.cm-searchMatch': { backgroundColor: 'transparent', outline: '1px solid var(--sl-color-text-accent)' },
  ...Object.fromEntries(codeKinds.map((name) => [`.code-${name}`, { color: `var(--code-${name})` }])),
  '.cm-tooltip': { ...box, maxWidth: 'min(40rem, 90vw)', overflow: 'hidden' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: font, fontSize: 'var(--sl-text-xs)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.15rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--sl-color-accent)',
    color: '#fff',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': { padding: '0' },
  '.explanation': { maxHeight: '16rem', padding: '0.4rem 0.6rem', overflow: 'auto', fontSize: 'var(--sl-text-xs)' },
  '.explanation code': { fontFamily: font, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.explanation p': { margin: '0.4rem 0 0', lineHeight: '1.5', whiteSpace: 'pre-line' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap', fontSize: 'var(--sl-text-xs)' },
  '.cm-panels': { backgroundColor: 'var(--sl-color-bg-nav)', color: 'var(--sl-color-white)' },
  '.cm-panel input, .cm-panel button': {
    border: '1px solid var(--sl-color-gray-4)',
    borderRadius: '0.3rem',
    background: 'var(--sl-color-bg)',
    color: 'inherit',
  },
})
