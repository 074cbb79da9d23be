/** A response before it becomes a `Response`. */
export interface PlatformResponse {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
}

/** Creates an HTML page, as for every address outside the API. */
export function createHtmlPage(status: number, title: string): PlatformResponse {
  const body = `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1></html>`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body }
}
