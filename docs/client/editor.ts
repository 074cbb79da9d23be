import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { typescriptLanguage } from '@codemirror/lang-javascript'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { linter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { drawSelection, EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view'
import { type Remote, wrap } from 'comlink'
import { editorLook } from './editor-look.ts'
import { element } from './element.ts'
import {type Completions, type Explanation, type LanguageService, type Problem} from './language-service.ts'
import {type LanguageWorker} from './language-worker.ts'

/** An editor in the place of an example's code. */
export interface Editor {
  /** The program as it stands. */
  readonly code: string
  /** The same without its types. */
  javascript(): Promise<string>
  setCode(code: string): void
  focus(): void
}

const worker: Remote<LanguageWorker> = wrap(new Worker(new URL('./language-worker.js', import.meta.url)))
let editors = 0

/** Puts an editor in the place of an element's code. */
export function createEditor(place: HTMLElement): Editor {
  const path = `/program-${editors++}.ts`
  // As its copy button has it.
  const doc = place.querySelector<HTMLElement>('[data-code]')!.dataset.code!.replaceAll('\x7f', '\n')
  // Hidden and not removed: the first program of a page holds the styles of all of them.
  for (const child of place.children) (child as HTMLElement).hidden = true
  const view = new EditorView({ doc, parent: place, extensions: [editing, typescript(path)] })
  return {
    get code() {
      return view.state.doc.toString()
    },
    javascript: () => worker.ask('javascript', path, view.state.doc.toString()) as Promise<string>,
    setCode: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    focus: () => view.focus(),
  }
}

const editing: Extension = [
  typescriptLanguage,
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
  EditorView.contentAttributes.of({
    'aria-label': 'Program. After Escape, the Tab key leaves the editor',
    // It is focusable without that, but checkers of accessibility do not know.
    tabindex: '0',
  }),
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
function typescript(path: string): Extension {
  const ask = <T>(about: keyof LanguageService, { doc }: EditorState, ...rest: (number | string)[]) =>
    worker.ask(about, path, doc.toString(), ...rest) as Promise<T>
  const completions: CompletionSource = async (context) => {
    const { state, pos, explicit } = context
    const word = context.matchBefore(/[\w$]+/)
    if (!word && !explicit && !/[.'"`/]/.test(state.sliceDoc(pos - 1, pos))) return null
    const { from, entries } = await ask<Completions>('completions', state, pos)
    return {
      from: from ?? word?.from ?? pos,
      validFor: /^[\w$]*$/,
      options: entries.map(({ name, kind, rank }) => ({
        label: name,
        type: completionTypes[kind] ?? kind,
        boost: -rank,
        info: async () => {
          const explanation = await ask<Explanation | undefined>('completion', state, pos, name)
          return explanation ? explained(explanation) : null
        },
      })),
    }
  }
  return [
    autocompletion({ override: [completions] }),
    hoverTooltip(async ({ state }, position) => {
      const explanation = await ask<Explanation | undefined>('hover', state, position)
      if (!explanation) return null
      return {
        pos: explanation.from,
        end: explanation.to,
        above: true,
        create: () => ({ dom: explained(explanation) }),
      }
    }),
    linter(async ({ state }) => {
      const problems = await ask<Problem[]>('problems', state)
      return problems.map((problem) => ({ ...problem, severity: 'error' }))
    }),
    shownParameters,
    keymap.of([{ key: 'Escape', run: hideParameters }]),
    EditorView.updateListener.of(async ({ view, state, docChanged, selectionSet }) => {
      if (!docChanged && !(selectionSet && state.field(shownParameters))) return
      const help = await ask<Explanation | undefined>('parameters', state, state.selection.main.head)
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
