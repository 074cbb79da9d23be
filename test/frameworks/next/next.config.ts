import type { NextConfig } from 'next'

const config: NextConfig = {
  // As create-next-app writes it.
  cacheComponents: true,
  partialPrefetching: true,
  // Only because this project lies inside a repository that has a lockfile of its own.
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
}

export default config
