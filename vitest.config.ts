import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'
import { cliEntries, entries } from './scripts/entries.ts'

const nameEntries = (name: string, entries: Readonly<Record<string, string>>) =>
  Object.entries(entries).map(([entry, file]) => ({
    find: entry === 'index' ? name : `${name}/${entry}`,
    replacement: fileURLToPath(new URL(file, import.meta.url)),
  }))
const sources = [...nameEntries('shortlink-sdk', entries), ...nameEntries('shortlink-cli', cliEntries)]

const thorough = '{test,cli/test}/**/*.thorough.test.ts'

export default defineConfig({
  // Patterns, because a string would match the start of other names too.
  resolve: { alias: sources.map(({ find, replacement }) => ({ find: new RegExp(`^${find}$`), replacement })) },
  test: {
    testTimeout: 20_000,
    // Waits for the rate limit are not logged in tests. Tests of the log pass their own logger.
    env: { SHORTLINK_LOG: 'error' },
    // Concurrent tests mostly wait.
    maxConcurrency: 30,
    // One more than the cores, because tests also wait.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // Test files undo their changes of globals, so that a worker loads each module once.
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['{test,cli/test}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, thorough, 'test/frameworks/*/**'],
          isolate: false,
        },
      },
      // Tests that start processes, wait for real or read megabytes. Stryker runs without them.
      ...(process.env.STRYKER_MUTATOR_WORKER === undefined
        ? [{ extends: true as const, test: { name: 'thorough', include: [thorough], testTimeout: 200_000 } }]
        : []),
    ],
  },
})
