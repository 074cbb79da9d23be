import { client } from '../shortlink.server'
import type { Route } from './+types/server'

export async function loader({ request }: Route.LoaderArgs) {
  const result = await client.links.list({}, { signal: request.signal }).safe()
  if (result.ok) return { addresses: result.data.items.map(({ shorturl }) => shorturl) }
  const { code, outcome } = result.error
  const isBusy = code === 'rate_limit' || (code === 'timeout' && outcome === 'not-sent')
  const init = isBusy ? { status: 429, headers: { 'Retry-After': '60' } } : { status: 502 }
  throw new Response('Please try again later.', init)
}

export default function Server({ loaderData }: Route.ComponentProps) {
  return (
    <ul>
      {loaderData.addresses.map((address) => (
        <li key={address}>{address}</li>
      ))}
    </ul>
  )
}
