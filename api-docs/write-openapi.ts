/** Writes openapi.json. */
import { writeFile } from 'node:fs/promises'
import { openApi, toText } from './openapi.ts'

await writeFile(new URL('../openapi.json', import.meta.url), toText(await openApi()))
