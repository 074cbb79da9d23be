import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { run } from '../harness.ts'

const program = await readFile('shortlinks.test.ts', 'utf8')

/** In CommonJS, TypeScript loads another copy of msw's types than the one in the declarations of the handlers. */
const inCommonJs = program.replace('...handlers(sandbox)', '...(handlers(sandbox) as never[])')

/** The module resolutions of TypeScript, with the file extensions of the formats that each compiles. */
const ways = [
  { extensions: ['mts', 'cts'], options: ['--module', 'nodenext'] },
  { extensions: ['ts'], options: ['--module', 'esnext', '--moduleResolution', 'bundler'] },
]

for (const { extensions, options } of ways) {
  const formats = extensions.map((extension) => `.${extension}`).join(' and ')
  test(`setupServer accepts the handlers in ${formats} with ${options.join(' ')}, and the test runs`, async () => {
    const files = extensions.map((extension) => `build/shortlinks.test.${extension}`)
    await mkdir('build', { recursive: true })
    await Promise.all(files.map((file) => writeFile(file, file.endsWith('.cts') ? inCommonJs : program)))
    const strict = ['--target', 'es2022', '--types', 'node', '--strict', '--skipLibCheck', '--ignoreConfig']
    await run('tsc', [...strict, ...options, ...files])
    await run('node', ['--test', ...files.map((file) => file.replace(/ts$/, 'js'))])
  })
}
