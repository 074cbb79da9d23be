import type { NextConfig } from 'next'

/** On, as create-next-app writes it, unless a test sets it. */
const cacheComponents = process.env.CACHE_COMPONENTS !== 'off'

const config: NextConfig = {
  cacheComponents,
  partialPrefetching: cacheComponents,
  // Pages whose calls start while Next.js builds, so that building them needs the address and the key.
  pageExtensions: ['ts', 'tsx', ...(process.env.SHORTLINK_BASE_URL ? ['prerendered.tsx'] : [])],
  // Only because this project lies inside a repository that has a lockfile of its own.
  turbopack: { root: import.meta.dirname },
  outputFileTracingRoot: import.meta.dirname,
}

export default config
