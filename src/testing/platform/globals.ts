/** The globals that the sandbox uses. jest-environment-jsdom hides them from tests, but Node still has them. */
const { process, Response: visible } = globalThis as Partial<typeof globalThis>
const hidden = visible ? undefined : process?.getBuiltinModule?.('vm').runInThisContext('globalThis')

export const { Headers, ReadableStream, Request, Response, structuredClone, TextDecoder, URL }: typeof globalThis =
  hidden ?? globalThis
