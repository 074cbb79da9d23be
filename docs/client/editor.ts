import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { typescriptLanguage } from '@codemirror/lang-javascript'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { linter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, keymap } from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'
import { programIn } from './element.ts'
import { stripTypes } from './strip-types.ts'

/** An editor in the place of an example's code. */
export interface Editor {
  /** The program as it stands. */
  readonly code: string
  setCode(code: string): void
  focus(): void
}

/** Puts an editor in the place of an element's code. Its look is in example.css. */
export function createEditor(place: HTMLElement): Editor {
  const doc = programIn(place)
  // Hidden and not removed: the first program of a page holds the styles of all of them.
  for (const child of place.children) (child as HTMLElement).hidden = true
  const view = new EditorView({ doc, parent: place, extensions: editing })
  return {
    get code() {
      return view.state.doc.toString()
    },
    setCode: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    focus: () => view.focus(),
  }
}

const editing: Extension = [
  typescriptLanguage,
  syntaxHighlighting(classHighlighter),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  search({ top: true }),
  highlightSelectionMatches(),
  linter(({ state: { doc } }) => {
    const { problem } = stripTypes(doc.toString())
    if (!problem) return []
    const { from, to } = doc.line(problem.line)
    return [{ from: Math.min(from + problem.column - 1, to), to, severity: 'error', message: problem.message }]
  }),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  EditorView.contentAttributes.of({
    'aria-label': 'Program. After Escape, the Tab key leaves the editor',
    // It is focusable without that, but checkers of accessibility do not know.
    tabindex: '0',
  }),
  keymap.of([closeBracketsKeymap, searchKeymap, historyKeymap, lintKeymap, defaultKeymap, indentWithTab].flat()),
]
