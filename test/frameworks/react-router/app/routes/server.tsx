import { ShortLinkClient } from 'shortlink-sdk'
import type { Route } from './+types/server'

// Used by the loader alone, so React Router leaves it out of the page.
const client = new ShortLinkClient()

export async function loader() {
  const { items } = await client.links.list()
  return { addresses: items.map(({ shorturl }) => shorturl) }
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
