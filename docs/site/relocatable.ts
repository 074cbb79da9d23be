import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AstroIntegration } from 'astro'
import { RewritingStream } from 'parse5-html-rewriting-stream'
import { hostHeaders, pagePolicy } from './policy.ts'

/**
 * Lets the built pages work from any folder of a server, under a strict policy: their addresses become relative, and their
 * inline scripts and styles become files. So do their icons, which every page has many of.
 */
export function relocatable(): AstroIntegration {
  return {
    name: 'relocatable',
    hooks: {
      'astro:build:done': async ({ dir }) => {
        const folder = fileURLToPath(dir)
        const names = await readdir(folder, { recursive: true })
        const shared: Shared = { styles: new Map(), icons: new Map() }
        await mkdir(`${folder}_astro`, { recursive: true })
        for (const name of names.filter((name) => name.endsWith('.html'))) {
          const { html, scripts } = await rewrite(
            await readFile(folder + name, 'utf8'),
            name.replaceAll('\\', '/'),
            shared,
          )
          // Astro only logs it if a page cannot be rendered, and goes on.
          if (/<div class="sl-markdown-content">\s*<\/div>/.test(html)) throw new Error(`${name} is empty`)
          for (const [path, script] of scripts) await writeFile(folder + path, script)
          await writeFile(folder + name, html)
        }
        await writeFile(folder + stylesPath, [...shared.styles.values()].join('\n'))
        const symbols = [...shared.icons].map(
          ([drawing, id]) => `<symbol id="${id}" viewBox="${iconBox}">${drawing}</symbol>`,
        )
        await writeFile(folder + iconsPath, `<svg xmlns="http://www.w3.org/2000/svg">${symbols.join('\n')}</svg>`)
        await writeFile(`${folder}_headers`, hostHeaders())
        // The build is silent about everything else.
        console.log(`${names.filter((name) => name.endsWith('.html')).length} pages in ${folder}`)
      },
    },
  }
}

const addresses = ['href', 'src', 'poster', 'data-base']
/** The style sheet of what had a style attribute. */
const stylesPath = '_astro/inline.css'

/** The drawings of all icons, and what an icon is told by. */
const iconsPath = '_astro/icons.svg'
const iconBox = '0 0 24 24'

/** What all pages have in two files, to which each page adds: the rules of the style sheet by their classes, and the ids of icons. */
interface Shared {
  styles: Map<string, string>
  icons: Map<string, string>
}

async function rewrite(
  source: string,
  name: string,
  { styles, icons }: Shared,
): Promise<{ html: string; scripts: Map<string, string> }> {
  const root = '../'.repeat(name.split('/').length - 1) || './'
  const scripts = new Map<string, string>()
  const stream = new RewritingStream()
  let script: { isModule: boolean; text: string } | undefined
  let drawing: string | undefined
  stream.on('startTag', (tag, raw) => {
    if (tag.tagName === 'script' && isProgram(tag.attrs) && !tag.attrs.some(({ name }) => name === 'src')) {
      script = { isModule: tag.attrs.some(({ value }) => value === 'module'), text: '' }
      return
    }
    if (drawing !== undefined) {
      drawing += raw
      return
    }
    if (tag.attrs.some(({ name, value }) => name === 'viewBox' && value === iconBox)) drawing = ''
    const style = tag.attrs.find(({ name }) => name === 'style')?.value
    let changed = style !== undefined
    if (style !== undefined) setClass(tag.attrs, classOf(style, styles))
    for (const attribute of tag.attrs) {
      if (!addresses.includes(attribute.name) || !/^\/(?!\/)/.test(attribute.value)) continue
      attribute.value = root + attribute.value.slice(1)
      changed = true
    }
    if (changed) stream.emitStartTag(tag)
    else stream.emitRaw(raw)
    if (tag.tagName === 'head') {
      stream.emitRaw(`<meta http-equiv="content-security-policy" content="${pagePolicy}">`)
      if (name !== '404.html') stream.emitRaw(`<link rel="stylesheet" href="${root}${stylesPath}">`)
    }
  })
  stream.on('text', (_, raw) => {
    if (script) script.text += raw
    else stream.emitRaw(raw)
  })
  stream.on('endTag', (tag, raw) => {
    if (drawing !== undefined) {
      if (tag.tagName !== 'svg') {
        drawing += raw
        return
      }
      if (!icons.has(drawing)) icons.set(drawing, `i${icons.size}`)
      stream.emitRaw(`<use href="${root}${iconsPath}#${icons.get(drawing)}"></use>`)
      drawing = undefined
    }
    if (!script) return stream.emitRaw(raw)
    if (tag.tagName !== 'script') throw new Error(`${name}: <script> ends with </${tag.tagName}>`)
    const hash = createHash('sha256').update(script.text).digest('hex').slice(0, 8)
    const path = `_astro/inline.${hash}.js`
    scripts.set(path, script.text)
    stream.emitRaw(`<script${script.isModule ? ' type="module"' : ''} src="${root}${path}"></script>`)
    script = undefined
  })
  let html = ''
  stream.on('data', (chunk: Buffer | string) => {
    html += chunk
  })
  const ended = new Promise((resolve) => stream.on('end', resolve))
  stream.end(source)
  await ended
  return { html, scripts }
}

/** Puts a class in the place of the style attribute. */
function setClass(attributes: { name: string; value: string }[], name: string): void {
  const present = attributes.find((each) => each.name === 'class')
  if (present) present.value += ` ${name}`
  const style = attributes.findIndex((each) => each.name === 'style')
  attributes.splice(style, 1, ...(present ? [] : [{ name: 'class', value: name }]))
}

/** The class that does what a style attribute did. */
function classOf(style: string, styles: Map<string, string>): string {
  const name = `style-${createHash('sha256').update(style).digest('hex').slice(0, 6)}`
  const declarations = style.split(';').filter((each) => each.trim() !== '')
  styles.set(name, `.${name} { ${declarations.map((each) => `${each} !important;`).join(' ')} }`)
  return name
}

/** Whether a script element holds a program and not data. */
function isProgram(attributes: readonly { name: string; value: string }[]): boolean {
  const type = attributes.find(({ name }) => name === 'type')?.value ?? ''
  return ['', 'module', 'text/javascript'].includes(type)
}
