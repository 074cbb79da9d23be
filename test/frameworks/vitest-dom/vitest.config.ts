import { defineConfig } from 'vitest/config'

// Runs the tests in three environments. Two of them simulate a browser.
export default defineConfig({
  test: {
    projects: ['node', 'jsdom', 'happy-dom'].map((environment) => ({ test: { name: environment, environment } })),
  },
})
