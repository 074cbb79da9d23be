import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ranking } from '../site/ranking.ts'
import { queries, questions } from './queries.ts'
import { folder, type Served, serve } from './serve.ts'

interface Pagefind {
  options(options: { basePath: string; baseUrl: string; ranking: typeof ranking }): Promise<void>
  search(query: string): Promise<{ results: { data(): Promise<{ url: string }> }[] }>
}

let site: Served
let pagefind: Pagefind
beforeAll(async () => {
  site = await serve()
  pagefind = await import(pathToFileURL(`${folder}pagefind/pagefind.js`).href)
  await pagefind.options({ basePath: `${site.url}pagefind/`, baseUrl: '/', ranking })
})
afterAll(() => site.close())

/** The first pages that the search of the site shows. */
async function found(query: string, most: number): Promise<string[]> {
  const { results } = await pagefind.search(query)
  return await Promise.all(results.slice(0, most).map(async (result) => (await result.data()).url.replace(/^\//, '')))
}

it.each(Object.entries(questions))('shows the page for “%s” first or second', async (query, page) => {
  expect(await found(query, 2)).toContain(page)
})

const searches = Object.entries(queries).flatMap(([page, words]) => words.map((query) => [query, page] as const))

it.each(searches)('shows the page for “%s” among the first three', async (query, page) => {
  expect(await found(query, 3)).toContain(page)
})
