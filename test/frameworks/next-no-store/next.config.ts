import type { NextConfig } from 'next'

const config: NextConfig = {
  cacheComponents: process.env.CACHE_COMPONENTS === 'on',
  // Only because this project lies inside a repository that has a lockfile of its own.
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
}

export default config
