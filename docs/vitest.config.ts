import { defineConfig } from 'vitest/config'

// Long, because CI is busy. Nothing waits so long if all is well.
export default defineConfig({ test: { dir: 'test', testTimeout: 300_000, hookTimeout: 60_000 } })
