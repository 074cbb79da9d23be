import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { typescriptLanguage } from '@codemirror/lang-javascript'
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { linter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { drawSelection, EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view'
import { codeHighlighter } from '../site/colors.ts'
import { editorLook } from './editor-look.ts'
import { element } from './element.ts'
import type { Completions, Explanation, Problem } from './language-service.ts'
import type { Answer, Question } from './language-worker.ts'

/** An editor in the place of an example's code. */
export interface Editor {
  /** The program as it stands. */
  readonly code: string
  /** The same without its types. */
  javascript(): Promise<string>
  setCode(code: string): void
  focus(): void
}

const worker = new Worker(new URL('./language-worker.js', import.meta.url))
const waiting = new Map<number, (answer: Answer) => void>()
let questions = 0
let editors = 0

worker.onmessage = ({ data }: MessageEvent<Answer>) => {
  waiting.get(data.id)?.(data)
  waiting.delete(data.id)
}

/** What TypeScript says about a program. */
function ask<T>(about: Question['about'], path: string, state: EditorState, ...rest: Question['rest']): Promise<T> {
  const id = questions++
  worker.postMessage({ id, about, path, code: state.doc.toString(), rest } satisfies Question)
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ result, failure }) =>
      failure === undefined ? resolve(result as T) : reject(new Error(failure)),
    )
  })
}

/** Puts an editor with a program into an element. */
export async function createEditor(place: HTMLElement, code: string): Promise<Editor> {
  const path = `/program-${editors++}.ts`
  // In a shadow root, the editor's styles are sheets of the root, not the inline ones that the policy refuses.
  const frame = element('div', { className: 'editor-frame' })
  const root = frame.attachShadow({ mode: 'open' })
  const view = new EditorView({ doc: code, root, parent: root, extensions: [editing, ...typescript(path)] })
  place.replaceChildren(frame)
  return {
    get code() {
      return view.state.doc.toString()
    },
    javascript: () => ask('javascript', path, view.state),
    setCode: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    focus: () => view.focus(),
  }
}

const editing: Extension = [
  typescriptLanguage,
  syntaxHighlighting(codeHighlighter),
  editorLook,
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  search({ top: true }),
  highlightSelectionMatches(),
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
  EditorView.contentAttributes.of({ 'aria-label': 'Program. After Escape, the Tab key leaves the editor' }),
  keymap.of([
    ...closeBracketsKeymap,
    ...completionKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...lintKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
]

/** Completions, hovers, problems and parameters, as TypeScript knows them. */
function typescript(path: string): Extension[] {
  const completions: CompletionSource = async (context) => {
    const { state, pos, explicit } = context
    const word = context.matchBefore(/[\w$]+/)
    if (!word && !explicit && !/[.'"`/]/.test(state.sliceDoc(pos - 1, pos))) return null
    const { from, entries } = await ask<Completions>('completions', path, state, pos)
    return {
      from: from ?? word?.from ?? pos,
      validFor: /^[\w$]*$/,
      options: entries.map(({ name, kind, rank }) => ({
        label: name,
        type: completionTypes[kind] ?? kind,
        boost: -rank,
        info: async () => {
          const explanation = await ask<Explanation | undefined>('completion', path, state, pos, name)
          return explanation ? explained(explanation) : null
        },
      })),
    }
  }
  return [
    autocompletion({ override: [completions] }),
    hoverTooltip(async ({ state }, position) => {
      const explanation = await ask<Explanation | undefined>('hover', path, state, position)
      if (!explanation) return null
      return {
        pos: explanation.from,
        end: explanation.to,
        above: true,
        create: () => ({ dom: explained(explanation) }),
      }
    }),
    linter(async ({ state }) => {
      const problems = await ask<Problem[]>('problems', path, state)
      return problems.map((problem) => ({ ...problem, severity: 'error' }))
    }),
    shownParameters,
    keymap.of([{ key: 'Escape', run: hideParameters }]),
    EditorView.updateListener.of(async ({ view, state, docChanged, selectionSet }) => {
      if (!docChanged && !(selectionSet && state.field(shownParameters))) return
      const help = await ask<Explanation | undefined>('parameters', path, state, state.selection.main.head)
      // Another letter may have been typed meanwhile.
      if (view.state.doc !== state.doc || !view.state.selection.eq(state.selection)) return
      const tooltip = help ? { pos: help.from, above: true, create: () => ({ dom: explained(help) }) } : null
      if (tooltip || state.field(shownParameters)) view.dispatch({ effects: showParameters.of(tooltip) })
    }),
  ]
}

const showParameters = StateEffect.define<Tooltip | null>()

/** The parameters of the call that is being written. */
const shownParameters = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, { effects }) {
    const shown = effects.find((effect) => effect.is(showParameters))
    return shown ? shown.value : tooltip
  },
  provide: (field) => showTooltip.from(field),
})

function hideParameters(view: EditorView): boolean {
  if (!view.state.field(shownParameters)) return false
  view.dispatch({ effects: showParameters.of(null) })
  return true
}

/** The editor's names for what TypeScript calls otherwise. */
const completionTypes: Record<string, string> = {
  getter: 'property',
  let: 'variable',
  const: 'constant',
  var: 'variable',
  parameter: 'variable',
  alias: 'variable',
  module: 'namespace',
}

function explained({ signature, documentation }: Explanation): HTMLElement {
  const box = element('div', { className: 'explanation' }, element('code', {}, signature))
  if (documentation) box.append(element('p', {}, documentation))
  return box
}
