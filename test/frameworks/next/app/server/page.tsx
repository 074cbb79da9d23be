import { connection } from 'next/server'
import { Suspense } from 'react'
import { ShortLinkClient } from 'shortlink-sdk'

// One client for the whole server, with the address and the key of the environment.
const client = new ShortLinkClient()

export default function Page() {
  return (
    <Suspense fallback={<p>Loading…</p>}>
      <Links />
    </Suspense>
  )
}

async function Links() {
  await connection() // rendered for each request, not while Next builds
  const { items } = await client.links.list()
  return (
    <ul>
      {items.map(({ id, shorturl }) => (
        <li key={id}>{shorturl}</li>
      ))}
    </ul>
  )
}
