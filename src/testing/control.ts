import { checkedElsewhere } from '../client/checks/checks.ts'
import type { Fault } from './faults/faults.ts'
import { assertOptions } from './options.ts'
import { hideSecret } from './platform/request-log.ts'
import type { Sandbox } from './sandbox.ts'

const prefix = '/sandbox/'

/** Returns whether a path of the server reads or controls the sandbox, and is not part of the platform. */
export function isControlPath(path: string): boolean {
  return path.startsWith(prefix)
}

/** Responds to a request for a control path. `body`: the JSON of a POST, or an empty string. */
export function respondToControl(sandbox: Sandbox, method: string, path: string, body: string): Response {
  const name = path.slice(prefix.length)
  try {
    if (method === 'GET' && name === 'state') return new Response(serializeState(sandbox), { headers: json })
    if (method !== 'POST' || !Object.hasOwn(actions, name)) {
      throw new Error('expected GET /sandbox/state, or POST /sandbox/fail, /sandbox/advance or /sandbox/reset')
    }
    actions[name]!(sandbox, body === '' ? {} : JSON.parse(body))
    return Response.json({ done: true })
  } catch (error) {
    return Response.json({ error: (error as Error).message }, { status: 400 })
  }
}

const json = { 'Content-Type': 'application/json' }

const actions: Record<string, (sandbox: Sandbox, body: unknown) => void> = {
  fail: (sandbox, body) => sandbox.fail(body as Fault),
  advance(sandbox, body) {
    assertOptions(body as { ms: number }, { ms: checkedElsewhere }, 'advance')
    sandbox.advance((body as { ms: number }).ms)
  },
  reset: (sandbox) => sandbox.reset(),
}

/** The maximum number of rows per list, and of requests, in the state. */
const MAX_ROWS = 100
const MAX_TEXT = 4000

/** Serializes the newest rows and requests without passwords, bytes and very long texts. */
function serializeState(sandbox: Sandbox): string {
  return JSON.stringify(getState(sandbox), (name, value) => {
    if (value instanceof Uint8Array) return `${value.length} bytes`
    return hideSecret(name, typeof value === 'string' ? value.slice(0, MAX_TEXT) : value)
  })
}

function getState(sandbox: Sandbox) {
  const { apiKey, baseUrl, dialect, rateLimit, requests, data } = sandbox
  const newest = <Item>(items: readonly Item[]) => items.slice(-MAX_ROWS).reverse()
  const lists = Object.entries({ ...data, account: [data.account] }).map(([name, rows]) => {
    return [name, { total: rows.length, rows: newest<object>(rows) }] as const
  })
  return {
    accessKey: apiKey,
    site: new URL(baseUrl).origin,
    dialect: typeof dialect === 'string' ? dialect : dialect.join(', ') || 'reference',
    rateLimit,
    now: sandbox.now(),
    lists: Object.fromEntries(lists),
    total: requests.length,
    requests: newest(requests).map((request, place) => ({ ...request, number: requests.length - place })),
  }
}
