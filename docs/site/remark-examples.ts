import type { Code, Parent, Root, RootContent } from 'mdast'
import type { VFile } from 'vfile'
import { parseExampleOptions } from './example-options.ts'

/**
 * Gives every example of a page what it needs to be run there: `ts run` its buttons, together with the
 * fence `text output` that follows it; `ts node` the remark that it needs Node.
 */
export function remarkExamples() {
  return (tree: Root, file: VFile) => visit(tree, file)
}

function visit(parent: Parent, file: VFile): void {
  for (let index = 0; index < parent.children.length; index++) {
    const node = parent.children[index]!
    if (node.type !== 'code') {
      if ('children' in node) visit(node, file)
      continue
    }
    const [kind, ...words] = node.meta?.split(/\s+/) ?? []
    if (!['ts', 'js'].includes(node.lang ?? '')) continue
    if (kind === 'run') {
      const next = parent.children[index + 1]
      const output = next?.type === 'code' && next.lang === 'text' && next.meta === 'output' ? next : undefined
      parent.children.splice(index, output ? 2 : 1, runnable(node, output, words, file) as RootContent)
    } else if (kind === 'node') {
      node.meta = words.join(' ') || null
      parent.children.splice(index, 1, needsNode(node) as RootContent)
    }
  }
}

function runnable(code: Code, output: Code | undefined, words: string[], file: VFile): Parent {
  const place = `${file.path}:${code.position?.start.line}`
  let options: object
  try {
    options = parseExampleOptions(words)
  } catch (error) {
    throw new Error(`${place}: ${(error as Error).message}`)
  }
  code.meta = null
  const attributes = {
    // Keeps the styles of prose from what is inside.
    class: 'not-content',
    'data-options': JSON.stringify(options),
    'data-line': String(code.position?.start.line),
  }
  return element('run-example', attributes, [
    element('div', { class: 'example-code' }, [code]),
    element('div', { class: 'example-bar', 'data-pagefind-ignore': '' }, [
      withText('button', { type: 'button', class: 'example-run' }, 'Run'),
      withText('button', { type: 'button', class: 'example-edit' }, 'Edit'),
      element('span', { class: 'example-status', role: 'status' }, []),
    ]),
    element('div', { class: 'example-output' }, [
      withText('p', { class: 'example-caption' }, 'Output'),
      withText('pre', { class: 'example-text', role: 'group', 'aria-label': 'Output' }, output?.value ?? ''),
    ]),
  ])
}

function needsNode(code: Code): Parent {
  return element('div', { class: 'needs-node' }, [
    code,
    withText(
      'p',
      { class: 'needs-node-remark' },
      'Needs Node: a file, a server or a process. It does not run in this page.',
    ),
  ])
}

/** An HTML element as a node of the Markdown tree. */
function element(name: string, properties: Record<string, string>, children: unknown[]): Parent {
  return { type: 'element', data: { hName: name, hProperties: properties }, children } as unknown as Parent
}

/** An element that holds a text as it is: a text of the Markdown tree would lose its leading spaces. */
function withText(name: string, properties: Record<string, string>, value: string): Parent {
  const data = { hName: name, hProperties: properties, hChildren: [{ type: 'text', value }] }
  return { type: 'element', data, children: [] } as unknown as Parent
}
