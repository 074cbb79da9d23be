/** Stands for your own: the API key of whoever is signed in. */
export function keyOf(authorization = ''): string | undefined {
  return new Map([['Bearer of-the-shop', process.env.SHORTLINK_API_KEY]]).get(authorization)
}
