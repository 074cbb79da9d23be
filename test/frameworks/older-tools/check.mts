import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { run } from '../harness.ts'

/** The command of the page “Supported runtimes, speed and size”. */
const bundle = ['shortlink.mjs', '--bundle', '--format=cjs', '--target=es2017', '--outfile=vendor/shortlink.js']

before(() => run('esbuild', bundle))

const worksIn = async (file: string) => assert.equal(await run('node', [file]), 'account pro\n')

test('browserify takes a bundle of the package', async () => {
  await run('browserify', ['program.js', '--outfile', 'build/browserify.js'])
  await worksIn('build/browserify.js')
})

test('webpack 4 takes a bundle of the package, and minifies it', async () => {
  const options = ['--mode', 'production', '--target', 'node', '--output', 'build/webpack.js']
  // webpack 4 uses a hash that OpenSSL 3 no longer has.
  await run('webpack', ['./program.js', ...options], { NODE_OPTIONS: '--openssl-legacy-provider' })
  await worksIn('build/webpack.js')
})
