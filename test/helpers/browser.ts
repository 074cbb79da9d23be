import process from 'node:process'
import { vi } from 'vitest'

/** Makes this process look like a browser page, or with other globals like a worker, until `vi.unstubAllGlobals()`. */
export function becomeBrowser(globals: object = { document: {} }): void {
  const { node: _, ...versions } = process.versions
  const all = {
    navigator: { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
    process: Object.create(process, { versions: { value: versions } }),
    ...globals,
  }
  for (const [name, value] of Object.entries(all)) vi.stubGlobal(name, value)
}
