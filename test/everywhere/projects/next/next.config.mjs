import { createRequire } from 'node:module'
import { dirname } from 'node:path'

// Next is installed beside the project, not in it.
const root = dirname(dirname(dirname(createRequire(import.meta.url).resolve('next/package.json'))))

export default { turbopack: { root }, outputFileTracingRoot: root }
