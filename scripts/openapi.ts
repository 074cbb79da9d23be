/** Writes the OpenAPI document into the built package. */
import { mkdir, writeFile } from 'node:fs/promises'
import { createOpenApi } from './api/openapi.ts'

const dist = new URL('../dist/', import.meta.url)
await mkdir(dist, { recursive: true })
await writeFile(new URL('openapi.json', dist), JSON.stringify(await createOpenApi()))
