import { defineConfig } from 'vitest/config'

// The same tests in three environments, two of which look like a browser.
export default defineConfig({
  test: {
    projects: ['node', 'jsdom', 'happy-dom'].map((environment) => ({ test: { name: environment, environment } })),
  },
})
