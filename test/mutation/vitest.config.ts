import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from '../../vitest.config.ts'
import { KeptThread } from './kept-thread.ts'

/** The files that failed last, then the quick ones: a mutant is run no further than its first failed test. */
class LikelyAndQuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const result = this.ctx.cache.getFileTestResults(`${project.name}:${moduleId.slice(project.config.root.length)}`)
      return result?.failed ? -1 : (result?.duration ?? 0)
    }
    return [...files].sort((one, other) => rank(one) - rank(other))
  }
}

/** How Stryker runs the tests: in one thread that keeps its modules from one mutant to the next. */
export default defineConfig({
  ...base,
  plugins: [
    {
      name: 'kept-thread',
      // After Stryker's own options, which choose a pool too.
      configureVitest({ project }) {
        project.config.pool = KeptThread.pool
        project.config.poolRunner = { name: KeptThread.pool, createPoolWorker: (options) => new KeptThread(options) }
      },
    },
  ],
  test: {
    ...base.test,
    include: process.env.TESTS_OF_PART?.split(' ') ?? [],
    isolate: false,
    testTimeout: 120_000,
    sequence: { sequencer: LikelyAndQuickFirst },
  },
})
