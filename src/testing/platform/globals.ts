/**
 * What the sandbox is made of. jest-environment-jsdom hides these globals from a test; the Node below has them all the same.
 */
const { process, Response: visible } = globalThis as Partial<typeof globalThis>
const hidden = visible ? undefined : process?.getBuiltinModule?.('vm').runInThisContext('globalThis')

export const { Headers, ReadableStream, Request, Response, structuredClone, TextDecoder, URL }: typeof globalThis =
  hidden ?? globalThis
