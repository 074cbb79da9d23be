import type { SandboxRequest } from '../exchange/request-log.ts'
import type { Sandbox } from '../sandbox.ts'

/** How many rows of a list, and how many requests, the page shows at most. */
export const shownAtMost = 100

/** A row of a table. */
export type PageRow = Record<string, unknown>

/** One line of the page's request log. */
export interface PageRequest {
  /** Index in `sandbox.requests`. */
  index: number
  api: SandboxRequest['api']
  method: string
  path: string
  /** With its `?`; empty if there is none. */
  search: string
  status: number | undefined
  done: boolean
  at: number
}

/** What the page shows: the newest rows of every list, and the newest requests without their bodies. */
export interface PageState {
  apiKey: string
  /** Origin of the short addresses. */
  site: string
  dialect: string
  rateLimit: Sandbox['rateLimit']
  now: number
  lists: Record<string, { total: number; rows: PageRow[] }>
  total: number
  requests: PageRequest[]
}

export function pageState(sandbox: Sandbox): PageState {
  const { apiKey, baseUrl, dialect, rateLimit, requests, data } = sandbox
  const { account, ...lists } = data
  return {
    apiKey,
    site: new URL(baseUrl).origin,
    dialect: typeof dialect === 'string' ? dialect : dialect.join(', ') || 'reference',
    rateLimit,
    now: sandbox.now(),
    lists: Object.fromEntries(
      Object.entries({ ...lists, account: [account] }).map(([name, rows]) => [
        name,
        { total: rows.length, rows: rows.slice(-shownAtMost).reverse().map(tableRow) },
      ]),
    ),
    total: requests.length,
    requests: requests.slice(-shownAtMost).map(tableRequest).reverse(),
  }

  function tableRequest(request: SandboxRequest, place: number): PageRequest {
    const { api, method, path, query, status, done, at } = request
    const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(withoutPassword(query))}` : ''
    return { index: Math.max(0, requests.length - shownAtMost) + place, api, method, path, search, status, done, at }
  }
}

/** Replaces the password, because the page may be on a shared screen. */
export function withoutPassword<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  return 'password' in fields ? { ...fields, password: '***' } : fields
}

/** Leaves out bytes and passwords, and shortens lists of objects. */
function tableRow(row: object): PageRow {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'content' && name !== 'password')
      .map(([name, value]) => {
        if (name === 'scans' || name === 'visits') return [name, value.length]
        if (name === 'items') {
          return [name, value.map((item: { type: string; id: number }) => `${item.type} ${item.id}`)]
        }
        return [name, value]
      }),
  )
}
