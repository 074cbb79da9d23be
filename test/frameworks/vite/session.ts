/** Stands for your own sessions: a cookie alone proves nothing, so it is looked up. */
const users = new Map([['8c1f0e', 'Ada']])

export function isSignedIn(request: Request): boolean {
  const [, id = ''] = /(?:^|; )session=(\w+)/.exec(request.headers.get('Cookie') ?? '') ?? []
  return users.has(id)
}
