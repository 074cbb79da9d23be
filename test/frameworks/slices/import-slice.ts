import { importLinks, type Journal, type LinkRow } from 'shortlink-cli'
import type { ShortLinkClient } from 'shortlink-sdk'

/** Imports as many rows as 25 seconds allow. Returns whether all rows are done. */
export async function importSlice(
  client: ShortLinkClient,
  rows: Iterable<LinkRow>,
  journal: Journal,
  signal: AbortSignal = AbortSignal.timeout(25_000),
): Promise<boolean> {
  try {
    for await (const { row, ok, error } of importLinks(client, rows, { journal, signal })) {
      if (!ok && error.code !== 'aborted') console.error(row.url, error)
    }
    return true
  } catch (error) {
    if (signal.aborted) return false // the next slice continues here
    throw error
  }
}
