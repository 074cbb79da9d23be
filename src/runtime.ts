/** A variable of the environment, where the runtime has one. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** Whether this is a page or a worker of a browser. Other runtimes have some of its globals, but not its user agent. */
export function isBrowser(): boolean {
  const { document, WorkerGlobalScope, navigator } = globalThis as Record<string, unknown> & {
    navigator?: { userAgent?: string }
  }
  return (document !== undefined || WorkerGlobalScope !== undefined) && /^Mozilla\//.test(navigator?.userAgent ?? '')
}
