import { errorResponse } from 'shortlink-sdk/proxy'
import { client } from '../shortlink.server'
import type { Route } from './+types/server'

export async function loader({ request }: Route.LoaderArgs) {
  const result = await client.links.list({}, { signal: request.signal }).safe()
  if (result.ok) return { addresses: result.data.items.map(({ shorturl }) => shorturl) }
  throw errorResponse(result.error)
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
