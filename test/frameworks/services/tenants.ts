/** Returns the API key of the signed-in user. Replace it with your own lookup. */
export function keyOf(authorization = ''): string | undefined {
  return new Map([['Bearer of-the-shop', process.env.SHORTLINK_API_KEY]]).get(authorization)
}
