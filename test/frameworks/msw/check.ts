import { copyFile, mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import { run } from '../harness.ts'

/** The formats and resolutions that TypeScript has, with the extension that stands for each. */
const ways = {
  mts: ['--module', 'nodenext'],
  cts: ['--module', 'nodenext'],
  ts: ['--module', 'esnext', '--moduleResolution', 'bundler'],
}

for (const [extension, options] of Object.entries(ways)) {
  test(`setupServer takes the handlers in .${extension} with ${options.join(' ')}, and the test runs`, async () => {
    const folder = `build/${extension}`
    await mkdir(folder, { recursive: true })
    await copyFile('shortlinks.test.ts', `${folder}/shortlinks.test.${extension}`)
    const strict = ['--target', 'es2022', '--types', 'node', '--strict', '--skipLibCheck', '--ignoreConfig']
    await run('tsc', [...strict, ...options, '--outDir', folder, `${folder}/shortlinks.test.${extension}`])
    await run('node', ['--test', `${folder}/shortlinks.test.${extension.replace('t', 'j')}`])
  })
}
