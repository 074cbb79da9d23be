/** Writes the API pages into the site, and copies the OpenAPI document that they link to. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createApiPages } from './api/pages.ts'

const site = new URL('../docs/', import.meta.url)
const folder = new URL('src/content/docs/api/', site)
await mkdir(folder, { recursive: true })
for (const { path, markdown } of await createApiPages()) await writeFile(new URL(path, folder), markdown)
await copyFile(new URL('../dist/openapi.json', import.meta.url), new URL('public/openapi.json', site))
