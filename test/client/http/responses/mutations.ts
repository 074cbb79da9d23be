/** Changes to a body. A number selects the place of each change, so that a failing combination can be shrunk. */

type Container = Record<string, unknown> | unknown[]

const odd: unknown[] = [
  null,
  '',
  0,
  1,
  -1,
  '0',
  '1',
  '5',
  '007',
  ' 5',
  '1e3',
  0.5,
  1e21,
  2 ** 53,
  '99999999999999999999',
  true,
  false,
  'text',
  [],
  {},
  [0],
  ['text'],
  { 0: 1 },
  { a: 'b' },
  429,
  '500',
  '__proto__',
  [[]],
]

const names = ['id', 'name', 'domain', 'campaign', 'data', 'date', 'error', 'message', 'overlay', '1', '__proto__', 'x']

/** Changes the value under a key of its parent. `choice` selects among the variants of a change. */
type Change = (parent: Container, key: string, choice: number) => void

const changes: Record<string, Change> = {
  replace: (parent, key, choice) => set(parent, key, odd[choice % odd.length]),
  remove: (parent, key) => {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  },
  rename: (parent, key, choice) => {
    if (Array.isArray(parent)) return
    const value = parent[key]
    delete parent[key]
    set(parent, names[choice % names.length]!, value)
  },
  add: (parent, _key, choice) => {
    if (Array.isArray(parent)) set(parent, String(parent.length), odd[choice % odd.length])
    else set(parent, names[choice % names.length]!, odd[(choice >> 4) % odd.length])
  },
  respell: (parent, key) => {
    const value = get(parent, key)
    if (typeof value === 'number') set(parent, key, String(value))
    else if (typeof value === 'boolean') set(parent, key, Number(value))
    else if (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)))
      set(parent, key, Number(value))
    else if (Array.isArray(value)) set(parent, key, { ...value })
    else if (value && typeof value === 'object') set(parent, key, Object.values(value))
  },
  wrap: (parent, key, choice) => {
    const value = get(parent, key)
    set(parent, key, choice % 2 ? [value] : { [names[choice % names.length]!]: value })
  },
  repeat: (parent, key) => {
    if (Array.isArray(parent)) set(parent, String(parent.length), get(parent, key))
  },
}

const textChanges: Record<string, (text: string, choice: number) => string> = {
  cut: (text, choice) => text.slice(0, choice % (text.length + 1)),
  'change a character': (text, choice) => {
    const at = choice % text.length
    return text.slice(0, at) + '"{}[]:,\\0x\u0000'[choice % 11] + text.slice(at + 1)
  },
  'append garbage': (text) => `${text}<!-- served from cache -->`,
  'prepend a byte order mark': (text) => `\uFEFF${text}`,
}

export const changeNames: readonly string[] = Object.keys(changes)
export const textChangeNames: readonly string[] = Object.keys(textChanges)

/** The name of a change, its place as a number of any size, and its variant. */
export type Mutation = readonly [name: string, place: number, choice: number]

/** Returns the JSON of a body after these changes. */
export function mutate(body: unknown, mutations: readonly Mutation[], [textName, choice]: readonly [string, number]) {
  const root: Container = { body: structuredClone(body) }
  for (const [name, place, choice] of mutations) {
    const places = [...placesIn(root)]
    const [parent, key] = places[place % places.length]!
    changes[name]!(parent, key, choice)
    if (!('body' in root)) break
  }
  const text = JSON.stringify((root as { body?: unknown }).body) ?? ''
  return text === '' ? text : (textChanges[textName]?.(text, choice) ?? text)
}

function* placesIn(value: unknown): Generator<[Container, string]> {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    yield [value as Container, key]
    yield* placesIn((value as Record<string, unknown>)[key])
  }
}

const get = (parent: Container, key: string): unknown => (parent as Record<string, unknown>)[key]

/** Sets a copy of a value, so that no object is in two places. As in `JSON.parse`, `__proto__` is an ordinary key. */
function set(parent: Container, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    value: structuredClone(value),
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
