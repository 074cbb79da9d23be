import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import {type Extension} from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const box = {
  border: '1px solid var(--sl-color-gray-5)',
  borderRadius: '0.4rem',
  backgroundColor: 'var(--sl-color-bg-nav)',
  color: 'var(--sl-color-white)',
  boxShadow: 'var(--sl-shadow-md)',
}
const font = 'var(--__sl-font-mono)'
const selection = 'color-mix(in srgb, var(--sl-color-accent) 40%, transparent)'

/** The look of a page's code. Its colours are in example.css. */
export const editorLook: Extension = [
  EditorView.theme({
    '&': { maxHeight: '35rem', backgroundColor: 'var(--code-background)', color: 'var(--sl-color-white)' },
    '&.cm-focused': { outline: '2px solid var(--sl-color-text-accent)', outlineOffset: '-2px' },
    '.cm-scroller': { overflow: 'auto', fontFamily: font, fontSize: '0.84rem', lineHeight: '1.75' },
    '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--sl-color-white)' },
    '.cm-line': { padding: '0 1rem' },
    '.cm-cursor': { borderLeftColor: 'var(--sl-color-white)' },
    '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: selection,
    },
    '.cm-selectionMatch, &.cm-focused .cm-matchingBracket': { backgroundColor: selection },
    '.cm-searchMatch': { backgroundColor: 'transparent', outline: '1px solid var(--sl-color-text-accent)' },
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
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.comment, color: 'var(--code-comment)' },
      { tag: [tags.string, tags.regexp, tags.escape], color: 'var(--code-string)' },
      { tag: tags.number, color: 'var(--code-number)' },
      { tag: [tags.keyword, tags.bool, tags.null, tags.self], color: 'var(--code-keyword)' },
    ]),
  ),
]
