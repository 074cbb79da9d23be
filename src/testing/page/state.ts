import type { Sandbox } from '../sandbox.ts'

const shown = 100

/** What the page shows, as JSON: of every list and of the log the newest hundred, and no bodies. */
export function pageState(sandbox: Sandbox): string {
  const { baseUrl, dialect, rateLimit, requests, data } = sandbox
  const { account, ...lists } = data
  const { password: _, ...owner } = account
  return JSON.stringify({
    site: new URL(baseUrl).origin,
    dialect,
    rateLimit,
    now: sandbox.now(),
    lists: Object.fromEntries(
      Object.entries({ ...lists, account: [owner] }).map(([name, rows]) => [
        name,
        { total: rows.length, rows: rows.slice(-shown).reverse().map(brief) },
      ]),
    ),
    total: requests.length,
    requests: requests
      .slice(-shown)
      .reverse()
      .map(({ api, method, path, status, done, at }) => ({ api, method, path, status, done, at })),
  })
}

/** A row as it fits into a table: bytes left out, lists as their length. */
function brief(row: object): object {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'content' && name !== 'password')
      .map(([name, value]) => {
        if (name === 'scans') return [name, value.length]
        if (name === 'items')
          return [name, value.map((item: { type: string; id: number }) => `${item.type} ${item.id}`)]
        return [name, value]
      }),
  )
}
