import type { Answering, Canned } from './server.ts'

/** Returns one page of a list under `data`, as in the reference. */
export function page(key: string, rows: unknown, numbers: Record<string, unknown> = {}): Canned {
  const single = { result: 1, perpage: 15, currentpage: 1, nextpage: null, maxpage: 1 }
  return { body: { error: '0', data: { ...single, ...numbers, [key]: rows } } }
}

/** Returns a splash page: the resource with the fewest fields. */
export const splash = (id: number) => ({ id, name: `Splash ${id}`, date: '2026-11-02 09:30:00' })

/** Returns the page number of a request. */
export const numberOf = (url: string): number => Number(new URL(url, 'http://sho.rt').searchParams.get('page') ?? 1)

/** Creates a list of splash pages with the ids from 1 to `total`. */
export function splashPages(total: number, perpage: number): Answering {
  return ({ url }) => {
    const currentpage = numberOf(url)
    const first = (currentpage - 1) * perpage + 1
    const maxpage = Math.ceil(total / perpage)
    const rows = Array.from({ length: Math.max(0, Math.min(perpage, total - first + 1)) }, (_, i) => splash(first + i))
    const nextpage = currentpage < maxpage ? currentpage + 1 : null
    return page('splash', rows, { result: total, perpage, currentpage, nextpage, maxpage })
  }
}

/** A gateway's page, sent instead of JSON. */
export const html = '<!DOCTYPE html><html><body><h1>Down for maintenance</h1></body></html>'

/** The response to GET /account. */
export const account = {
  error: 0,
  data: {
    id: 1,
    email: 'owner@shop.example',
    username: 'owner',
    avatar: 'https://sho.rt/avatar.png',
    status: 'pro',
    expires: '2027-01-01 00:00:00',
    registered: '2026-01-01 00:00:00',
  },
}
