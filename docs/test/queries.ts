import { readFile } from 'node:fs/promises'
import { createIndex, find } from '../client/search-index.ts'

/** What people search for, and the page that has to stand first. */
const queries: Record<string, string> = {
  pagination: 'guides/lists/',
  'async iterator': 'guides/lists/',
  'for await': 'guides/lists/',
  bulk: 'guides/bulk/',
  'resume after crash': 'guides/bulk/',
  retry: 'guides/retries/',
  idempotent: 'guides/retries/',
  backoff: 'guides/retries/',
  timeout: 'guides/retries/',
  429: 'guides/limits/',
  'too many requests': 'guides/limits/',
  'rate limit': 'guides/limits/',
  'error handling': 'guides/errors/',
  'try catch': 'guides/errors/',
  401: 'guides/errors/',
  AbortController: 'guides/errors/',
  ECONNREFUSED: 'guides/doctor/',
  'fetch failed': 'guides/doctor/',
  'how to mock': 'recipes/testing/',
  jsdom: 'frameworks/test-environments/',
  'TextEncoder is not defined': 'frameworks/test-environments/',
  vitest: 'recipes/testing/',
  msw: 'recipes/testing/',
  'mock server': 'guides/sandbox/',
  CSV: 'recipes/import-csv/',
  webhook: 'recipes/click-report/',
  analytics: 'recipes/click-report/',
  'shorten a url': 'recipes/shorten/',
  'qr code': 'recipes/qr-codes/',
  wifi: 'recipes/qr-codes/',
  'upload progress': 'recipes/uploads/',
  'next.js': 'frameworks/next/',
  sveltekit: 'frameworks/sveltekit/',
  remix: 'frameworks/react-router/',
  rxjs: 'frameworks/angular/',
  expo: 'frameworks/react-native/',
  express: 'recipes/frameworks/',
  react: 'recipes/react/',
  HTTPS_PROXY: 'recipes/network/',
  'self-signed certificate': 'recipes/network/',
  bullmq: 'recipes/queues/',
  terraform: 'recipes/links-as-code/',
  cors: 'guides/key-proxy/',
  'deep link': 'guides/opener/',
  zod: 'guides/validation/',
  opentelemetry: 'guides/logging/',
  'bundle size': 'guides/runtimes/',
  'cloudflare workers': 'start/edge/',
  install: 'start/node/',
  'environment variables': 'start/node/',
  'bearer token': 'start/servers/',
  duplicate: 'guides/links/',
}

/** The queries that find another page first. */
export async function missedQueries(folder: string): Promise<string[]> {
  const index = createIndex(JSON.parse(await readFile(`${folder}search.json`, 'utf8')))
  return Object.entries(queries).flatMap(([query, page]) => {
    const first = find(index, query)[0]?.address.replace(/#.*/, '')
    return first === page ? [] : [`${query}: ${first ?? 'nothing'}, not ${page}`]
  })
}

export const queryCount = Object.keys(queries).length
