import type { Fault } from 'shortlink-sdk/testing'

/** What a link to the playground holds. */
export interface SharedProgram {
  program: string
  /** Rows in every list at the beginning. */
  rows: string
  /** `reference`, `deployed`, or deviations with commas between them. */
  dialect: string
  /** Requests a minute; 0 is no limit. */
  limit: string
  faults: Fault[]
}

const name = '#program='
/** Characters of the largest program that is taken from a link. */
const maxLength = 200_000

/** Returns the fragment of an address for a program. No server is sent it. */
export async function toFragment(shared: SharedProgram): Promise<string> {
  const json = new Blob([JSON.stringify(shared)]).stream()
  const bytes = await new Response(json.pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer()
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return name + base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/**
 * Returns the program of a fragment; undefined if there is none.
 *
 * @throws {Error} if it cannot be read, for example because the link was cut off.
 */
export async function fromFragment(fragment: string): Promise<SharedProgram | undefined> {
  if (!fragment.startsWith(name)) return undefined
  const base64 = fragment.slice(name.length).replaceAll('-', '+').replaceAll('_', '/')
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let json = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    json += part.value
    if (json.length > maxLength) throw new RangeError(`more than ${maxLength} characters`)
  }
  const { program, rows, dialect, limit, faults } = JSON.parse(json)
  if (typeof program !== 'string' || !Array.isArray(faults)) throw new TypeError('no program')
  return { program, rows: String(rows), dialect: String(dialect), limit: String(limit), faults }
}
