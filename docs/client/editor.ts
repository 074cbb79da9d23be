// The parts of the editor that an example needs.
import 'monaco-editor/editor/contrib/suggest/browser/suggestController.js'
import 'monaco-editor/features/bracketMatching/register.js'
import 'monaco-editor/features/caretOperations/register.js'
import 'monaco-editor/features/clipboard/register.js'
import 'monaco-editor/features/codeAction/register.js'
import 'monaco-editor/features/codicon/register.js'
import 'monaco-editor/features/comment/register.js'
import 'monaco-editor/features/contextmenu/register.js'
import 'monaco-editor/features/cursorUndo/register.js'
import 'monaco-editor/features/find/register.js'
import 'monaco-editor/features/gotoError/register.js'
import 'monaco-editor/features/hover/register.js'
import 'monaco-editor/features/indentation/register.js'
import 'monaco-editor/features/linesOperations/register.js'
import 'monaco-editor/features/multicursor/register.js'
import 'monaco-editor/features/parameterHints/register.js'
import 'monaco-editor/features/quickCommand/register.js'
import 'monaco-editor/features/rename/register.js'
import 'monaco-editor/features/snippet/register.js'
import 'monaco-editor/features/toggleTabFocusMode/register.js'
import 'monaco-editor/features/tokenization/register.js'
import 'monaco-editor/features/wordHighlighter/register.js'
import 'monaco-editor/features/wordOperations/register.js'
import 'monaco-editor/languages/definitions/typescript/register.js'
import * as monaco from 'monaco-editor/editor/editor.api.js'
import {
  getTypeScriptWorker,
  ModuleKind,
  type ModuleResolutionKind,
  ScriptTarget,
  typescriptDefaults,
} from 'monaco-editor/languages/features/typescript/register.js'
import { codeColors } from '../site/colors.ts'
import { element } from './element.ts'

/** An editor in the place of an example's code. */
export interface Editor {
  /** The program as it stands, as JavaScript. */
  javascript(): Promise<string>
  setCode(code: string): void
  focus(): void
}

/** What programs find besides the package and the browser's own. */
const globals = 'declare const process: { env: Record<string, string | undefined> }'
// The editor's enumeration of TypeScript's ways to resolve modules is older than this one.
const bundlerResolution = 100 as ModuleResolutionKind
const maxHeight = 560

const ready = prepare()
let editors = 0

async function prepare(): Promise<void> {
  const address = (name: string) => new URL(name, import.meta.url)
  self.MonacoEnvironment = {
    getWorker: (_, label) => new Worker(address(label === 'typescript' ? './ts.worker.js' : './editor.worker.js')),
  }
  const styles = element('link', { rel: 'stylesheet', href: address('./editor.css').href })
  const hasStyles = new Promise((resolve, reject) => {
    styles.onload = resolve
    styles.onerror = reject
  })
  document.head.append(styles)
  const types: Record<string, string> = await (await fetch(address('./types.json'))).json()
  typescriptDefaults.setCompilerOptions({
    target: ScriptTarget.ESNext,
    module: ModuleKind.ESNext,
    moduleResolution: bundlerResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    allowNonTsExtensions: true,
    skipLibCheck: true,
  })
  typescriptDefaults.setExtraLibs([
    { content: globals, filePath: 'file:///globals.d.ts' },
    ...Object.entries(types).map(([path, content]) => ({ content, filePath: `file:///node_modules/${path}` })),
  ])
  typescriptDefaults.setEagerModelSync(true)
  const root = document.documentElement
  for (const [name, { background, text, comment, keyword, string, number }] of Object.entries(codeColors)) {
    const colors: Record<string, string> = {
      '': text,
      comment,
      keyword,
      string,
      number,
      regexp: string,
      'string.escape': string,
    }
    // The editor knows more kinds of words than the page's code shows.
    for (const token of ['identifier', 'type', 'type.identifier', 'delimiter']) colors[token] ??= text
    monaco.editor.defineTheme(name, {
      base: name === 'light' ? 'vs' : 'vs-dark',
      inherit: true,
      rules: Object.entries(colors).map(([token, color]) => ({ token, foreground: color.slice(1) })),
      colors: {
        'editor.background': background,
        'editor.foreground': text,
        'editorLineNumber.foreground': comment,
        'editorLineNumber.activeForeground': text,
      },
    })
  }
  const setTheme = () => monaco.editor.setTheme(root.dataset.theme === 'light' ? 'light' : 'dark')
  setTheme()
  new MutationObserver(setTheme).observe(root, { attributeFilter: ['data-theme'] })
  await hasStyles
}

/** Puts an editor with a program into an element. */
export async function createEditor(place: HTMLElement, code: string): Promise<Editor> {
  await ready
  editors += 1
  const uri = monaco.Uri.parse(`file:///example-${editors}.ts`)
  const model = monaco.editor.createModel(code, 'typescript', uri)
  const frame = element('div', { className: 'editor-frame' })
  place.replaceChildren(frame)
  const editor = monaco.editor.create(frame, {
    model,
    ariaLabel: 'Program. Ctrl+M lets the Tab key leave the editor',
    automaticLayout: true,
    fixedOverflowWidgets: true,
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--sl-font-mono') || 'monospace',
    fontSize: 14,
    lineHeight: 22,
    lineNumbersMinChars: 3,
    minimap: { enabled: false },
    overviewRulerLanes: 0,
    padding: { top: 12, bottom: 12 },
    renderLineHighlight: 'none',
    scrollBeyondLastLine: false,
    scrollbar: { alwaysConsumeMouseWheel: false },
    tabSize: 2,
    wordWrap: 'on',
  })
  const fit = () => {
    frame.style.height = `${Math.min(Math.max(editor.getContentHeight(), 120), maxHeight)}px`
  }
  editor.onDidContentSizeChange(fit)
  fit()
  return {
    async javascript() {
      const client = await (await getTypeScriptWorker())(uri)
      const { outputFiles } = await client.getEmitOutput(uri.toString())
      return outputFiles[0]?.text ?? ''
    },
    setCode: (text) => model.setValue(text),
    focus: () => editor.focus(),
  }
}
