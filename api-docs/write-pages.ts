/** Writes the pages of the API into the site. */
import { mkdir, writeFile } from 'node:fs/promises'
import { apiPages } from './pages.ts'

const folder = new URL('../docs/src/content/docs/api/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const { path, markdown } of await apiPages()) await writeFile(new URL(path, folder), markdown)
