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
  // Exactly these names: a string would be taken for a beginning.
  resolve: { alias: sources.map(({ find, replacement }) => ({ find: new RegExp(`^${find}$`), replacement })) },
  test: {
    testTimeout: 20_000,
    // A wait for budget is no news in a test. A test that reads the log has a logger of its own.
    env: { SHORTLINK_LOG: 'error' },
    // Tests that run at the same time wait most of it.
    maxConcurrency: 30,
    // One more than the cores, because tests wait too.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // A file that changes what is global undoes it, so that the modules are loaded once for all files of a worker.
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['{test,cli/test}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, thorough, 'test/frameworks/*/**'],
          isolate: false,
        },
      },
      // Child processes, real waiting, and megabytes.
      // Stryker does without them.
      ...(process.env.STRYKER_MUTATOR_WORKER === undefined
        ? [{ extends: true as const, test: { name: 'thorough', include: [thorough], testTimeout: 200_000 } }]
        : []),
    ],
  },
})
