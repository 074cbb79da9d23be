import MiniSearch, { type SearchResult } from 'minisearch'

/** A part of a page under one heading, as `search.json` has it. */
export interface Section {
  id: number
  /** Address below the site's folder, with the heading's anchor. */
  address: string
  page: string
  heading: string
  text: string
  /** Words that a page is searched for by, and that it need not contain. */
  keywords?: string
}

export type Found = SearchResult & Section

/** The index of the search. */
export function createIndex(sections: readonly Section[]): MiniSearch<Section> {
  const index = new MiniSearch<Section>({
    fields: ['heading', 'page', 'keywords', 'text'],
    storeFields: ['address', 'page', 'heading', 'text'],
    // `client.campaigns.assignLink` is found by each of its parts, and by `assign`.
    tokenize: (text) => text.match(/[\p{L}\p{N}_]+/gu)?.flatMap((word) => [word, ...camelParts(word)]) ?? [],
    processTerm: (term) => stem(term.toLowerCase()),
    searchOptions: {
      boost: { heading: 4, keywords: 6, page: 2 },
      prefix: (term) => term.length > 2,
      // A misspelled word has a length; 429 and 401 are different.
      fuzzy: (term) => (term.length > 4 && !/\d/.test(term) ? 0.15 : false),
      weights: { fuzzy: 0.2, prefix: 0.5 },
      boostDocument: (_id, _term, fields) => pageWeight(String(fields?.address)),
    },
  })
  index.addAll(sections)
  return index
}

/** What is found: with all words of the query, else with any of them. Recipes and guides stand before the API's types. */
export function find(index: MiniSearch<Section>, query: string): Found[] {
  const words = query
    .split(/\s+/)
    .filter((word) => !stopWords.has(word.toLowerCase()))
    .join(' ')
  const all = index.search(words, { combineWith: 'AND' })
  return (all.length > 0 ? all : index.search(words, { combineWith: 'OR' })) as Found[]
}

const stopWords = new Set(
  'a an and can do does for from get how i in into is it my of on or the to use with'.split(' '),
)

function pageWeight(address: string): number {
  const isWhole = !address.includes('#')
  return (address.startsWith('api/') ? 0.25 : 1) * (isWhole ? 1.5 : 1)
}

/** Retries and retry are one word. */
function stem(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=[^s]{3})s$/, '')
}

function camelParts(word: string): string[] {
  const parts = word.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []
  return parts.length > 1 ? parts : []
}
