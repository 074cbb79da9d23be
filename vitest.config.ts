import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^shortlink-sdk$/, replacement: source('index.ts') },
      { find: /^shortlink-sdk\/(bulk|proxy|rate-limit|testing)$/, replacement: `${source('')}$1/index.ts` },
      { find: /^shortlink-sdk\/(.+)$/, replacement: `${source('')}$1.ts` },
    ],
  },
  test: { include: ['test/**/*.test.ts'], testTimeout: 20_000 },
})
